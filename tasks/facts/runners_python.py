"""Runners of Python's tests."""

from tasks.facts.runners import Runner


def _pytest(word: str) -> str:
    return rf"(?:=+ )?(?:\d+ [a-z]+, ){{0,8}}(\d{{1,9}}) {word}(?:, \d+ [a-z]+){{0,8}} in [\d.]+s"


PYTEST = Runner(
    "pytest",
    sign=(
        r"=+ (?:test session starts|FAILURES|ERRORS) =+$|FAILED \S+\.py::|ERROR \S+\.py(?:::| |$)"
        r"|(?:=+ )?(?:\d+ [a-z]+, ){0,8}\d+ (?:passed|failed|skipped|errors?|deselected)(?:, \d+ [a-z]+){0,8} in [\d.]+s"
    ),
    within=r"=+ (?:FAILURES|ERRORS) =+$",
    until=r"=+ (?!FAILURES|ERRORS)[^=].* =+$",
    starts=r"_+ (?!_ )(\S.*?) _+$",
    ends=(
        r"=+ (?:FAILURES|ERRORS|PASSES|short test summary info|warnings summary|slowest .*|[- ]*coverage.*|.* in [\d.]+s.*) =*$"
        r"|-+ coverage:"
    ),
    failed=r"(?:FAILED|ERROR) (\S+?\.py(?:::.+?)?)(?: - .*)?$",
    summary=r"(?:=+ )?(?:\d+ [a-z]+, ){0,8}\d+ [a-z]+ in [\d.]+s",
    counts={
        "passed": (_pytest("passed"), _pytest("xpassed")),
        "failed": (_pytest("failed"),),
        "errors": (_pytest("errors?"),),
        "skipped": (_pytest("skipped"), _pytest("xfailed")),
    },
)

UNITTEST = Runner(
    "unittest",
    sign=r"Ran \d+ tests? in [\d.]+s$",
    starts=r"(?:FAIL|ERROR): (\S.*)$",
    ends=r"={50,}$|Ran \d+ tests? in ",
    summary=r"(?:OK|FAILED|NO TESTS RAN)(?: \(|$)",
    counts={
        "total": (r"Ran (\d{1,9}) tests? in ",),
        "failed": (r"FAILED \(.*?\bfailures=(\d{1,9})", r"FAILED \(.*?\bunexpected successes=(\d{1,9})"),
        "errors": (r"FAILED \(.*?\berrors=(\d{1,9})",),
        "skipped": (r"(?:OK|FAILED) \(.*?\bskipped=(\d{1,9})", r"(?:OK|FAILED) \(.*?\bexpected failures=(\d{1,9})"),
    },
)

RUNNERS = (PYTEST, UNITTEST)
