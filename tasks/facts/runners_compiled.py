"""Runners of tests in Go, Rust, C, Java and .NET."""

from tasks.facts.runners import Runner

GO = Runner(
    "go",
    sign=(
        r"=== RUN +\S|--- (?:FAIL|PASS|SKIP): |(?:ok|FAIL)\s+\S+\s+(?:[\d.]+s|\(cached\)|\[build failed\]|\[setup failed\])"
        r"|\?\s+\S+\s+\[no test files\]|# [\w-]+\.[\w.-]+/\S+(?: \[\S+\])?$"
    ),
    starts=r"--- FAIL: (\S+)|(panic: .*)|# (\S+(?: \[\S+\])?)$",
    back=r"=== (?:RUN|CONT|NAME|PAUSE) |(?! *---) {4,}\S|(?! *---)\t",
    ends=r"(?:=== |--- |ok\s|FAIL\b|PASS$|\?\s|exit status |coverage: )",
    summary=r"=== RUN ",
    failed=r" *--- FAIL: (\S+)",
    counts={
        "passed": (r" *--- PASS: ",),
        "failed": (r" *--- FAIL: ",),
        "skipped": (r" *--- SKIP: ",),
    },
)

_RESULT = r"test result: \w+\. "

CARGO = Runner(
    "cargo",
    sign=r"running \d+ tests?$|test result: (?:ok|FAILED)\.",
    starts=r"---- (\S.*?)(?: stdout| stderr)? ----$",
    ends=r"failures:$|test result: ",
    summary=_RESULT,
    failed=r"test (\S.*?) \.\.\. FAILED$",
    counts={
        "passed": (_RESULT + r"(\d{1,9}) passed",),
        "failed": (_RESULT + r".*?(\d{1,9}) failed",),
        "skipped": (_RESULT + r".*?(\d{1,9}) ignored",),
    },
)

NEXTEST = Runner(
    "nextest",
    sign=r" +Summary \[ *[\d.]+s\] +\d+",
    starts=r"(?:--- (?:STDOUT|STDERR): +(\S.*?) -+$)",
    ends=r" +(?:PASS|FAIL|Summary|SIGABRT|TIMEOUT|Cancelling|Canceling) ?\[?|error: test run failed",
    summary=r" +Summary \[",
    failed=r" +FAIL \[ *[\d.]+s\] +(?:\( *\d+/\d+\) +)?(\S.*)$",
    counts={
        "passed": (r" +Summary \[.*?(\d{1,9}) passed",),
        "failed": (r" +Summary \[.*?(\d{1,9}) failed",),
        "skipped": (r" +Summary \[.*?(\d{1,9}) skipped",),
    },
)

CTEST = Runner(
    "ctest",
    sign=r"\d+% tests passed, \d+ tests? failed out of \d+|Test project [/\w]",
    starts=r" *\d+/\d+ +Test +#\d+: (\S+) [ .]*\*\*\*",
    ends=r" +Start +\d+: | *\d+/\d+ +Test +#\d+|\d+% tests passed",
    summary=r"\d+% tests passed",
    counts={
        "failed": (r"\d+% tests passed, (\d{1,9}) tests? failed",),
        "total": (r"\d+% tests passed, \d+ tests? failed out of (\d{1,9})",),
    },
)

_SUREFIRE = r"(?:\[\w+\] +)?Tests run: (?:\d+), Failures: \d+, Errors: \d+, Skipped: \d+$"


def _surefire(word: str) -> str:
    return r"(?=" + _SUREFIRE + r").*?" + word + r": (\d{1,9})"


SUREFIRE = Runner(
    "surefire",
    sign=r"(?:\[\w+\] +)?Tests run: \d+, Failures: \d+, Errors: \d+",
    starts=r"(?:\[ERROR\] +)?(?!Tests run)([\w.$]+(?:\([\w.$]+\)|\.\w\S*)?)(?: \S+)? .*<<< (?:FAILURE|ERROR)!",
    ends=r"\[(?:INFO|ERROR|WARNING)\]|Tests run: |Running \S|Results ?:",
    summary=_SUREFIRE,
    counts={
        "total": (_surefire("Tests run"),),
        "failed": (_surefire("Failures"),),
        "errors": (_surefire("Errors"),),
        "skipped": (_surefire("Skipped"),),
    },
)

GRADLE = Runner(
    "gradle",
    sign=r"> Task :\S*[tT]est\w*(?: FAILED)?$|\S+ > .+ (?:FAILED|PASSED|SKIPPED)$|\d+ tests? completed, \d+ failed",
    starts=r"(\w\S* > .+?) FAILED$",
    ends=r"\S",
    summary=r"\d+ tests? completed",
    counts={
        "total": (r"(\d{1,9}) tests? completed",),
        "failed": (r"\d+ tests? completed, (\d{1,9}) failed",),
        "skipped": (r"\d+ tests? completed.*?(\d{1,9}) skipped",),
    },
)

JUNIT = Runner(
    "junit",
    sign=r"\[ +\d+ tests (?:found|started|failed|successful) +\]$",
    within=r"Failures \(\d+\):$",
    starts=r" +JUnit \w+:(\S.*)$",
    ends=r"Test run finished|\[ ",
    summary=r"\[ +\d+ tests found +\]$",
    counts={
        "passed": (r"\[ +(\d{1,9}) tests successful +\]$",),
        "failed": (r"\[ +(\d{1,9}) tests failed +\]$",),
        "skipped": (r"\[ +(\d{1,9}) tests skipped +\]$",),
    },
)

_DOTNET = r"(?:Passed|Failed|Skipped)! +- "

DOTNET = Runner(
    "dotnet",
    sign=r"(?:Passed|Failed)! +- Failed: +\d+|Total tests: \d+$",
    starts=r" +Failed (\S.*?) \[[^\]]*\]$",
    ends=r" +(?:Passed|Failed|Skipped) \S|(?:Passed|Failed)! |Test Run |Total tests: |Results File",
    summary=r"(?:Passed|Failed)! +- Failed|Total tests: \d+$",
    counts={
        "passed": (_DOTNET + r".*?Passed: +(\d{1,9})", r" +Passed: (\d{1,9})$"),
        "failed": (_DOTNET + r"Failed: +(\d{1,9})", r" +Failed: (\d{1,9})$"),
        "skipped": (_DOTNET + r".*?Skipped: +(\d{1,9})", r" +Skipped: (\d{1,9})$"),
    },
)

RUNNERS = (GO, CARGO, NEXTEST, CTEST, SUREFIRE, GRADLE, JUNIT, DOTNET)
