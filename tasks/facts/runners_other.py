"""Runners of tests in Ruby, PHP and the shell."""

from tasks.facts.runners import Runner

RSPEC = Runner(
    "rspec",
    sign=r"\d+ examples?, \d+ failures?",
    within=r"Failures:$",
    until=r"Finished in |Failed examples:",
    starts=r" +\d+\) (\S.*)$",
    ends=r"Finished in |Failed examples:|Pending:|Top \d+ ",
    failed=r"rspec (\S+(?:\[[\d:,]+\])?)",
    summary=r"\d+ examples?, ",
    counts={
        "total": (r"(\d{1,9}) examples?, \d+ failures?",),
        "failed": (r"\d+ examples?, (\d{1,9}) failures?",),
        "errors": (r"\d+ examples?, .*?(\d{1,9}) errors? occurred outside",),
        "skipped": (r"\d+ examples?, .*?(\d{1,9}) pending",),
    },
)

_RUNS = r"\d+ (?:runs|tests), \d+ assertions, "

MINITEST = Runner(
    "minitest",
    sign=_RUNS + r"\d+ failures, \d+ errors",
    starts=r"(?: +\d+\) )?(?:Failure|Error):(?: *(\S.*))?$",
    ends=r"\d+ (?:runs|tests), |(?:bin/)?rails test \S|rake test",
    summary=_RUNS,
    counts={
        "total": (r"(\d{1,9}) (?:runs|tests), \d+ assertions, ",),
        "failed": (_RUNS + r"(\d{1,9}) failures",),
        "errors": (_RUNS + r".*?(\d{1,9}) errors",),
        "skipped": (_RUNS + r".*?(\d{1,9}) skips",),
    },
)

PHPUNIT = Runner(
    "phpunit",
    sign=r"PHPUnit \d+\.|Tests: \d+, Assertions: \d+|OK \(\d+ tests?, \d+ assertions?\)$",
    starts=r"\d+\) (\S.*)$",
    ends=r"--$|(?:FAILURES|ERRORS|WARNINGS)!$|There (?:was|were) \d|Tests: \d|OK \(|OK, but ",
    within=r"There (?:was|were) \d+ (?:failure|error)s?:$",
    until=r"There (?:was|were) \d+ (?!failure|error)",
    summary=r"Tests: \d+, Assertions|OK \(",
    counts={
        "total": (r"Tests: (\d{1,9}), Assertions: ", r"OK \((\d{1,9}) tests?, "),
        "failed": (r"Tests: .*?\bFailures: (\d{1,9})",),
        "errors": (r"Tests: .*?\bErrors: (\d{1,9})",),
        "skipped": (r"Tests: .*?\bSkipped: (\d{1,9})", r"Tests: .*?\bIncomplete: (\d{1,9})"),
    },
)

BATS = Runner(
    "bats",
    sign=r"\d+ tests?, \d+ failures?(?:, \d+ (?:skipped|not run))*(?: in .*)?$",
    starts=r" +✗ (\S.*)$",
    ends=r" +[✓-] \S|\d+ tests?, ",
    summary=r"\d+ tests?, \d+ failures?",
    counts={
        "total": (r"(\d{1,9}) tests?, \d+ failures?",),
        "failed": (r"\d+ tests?, (\d{1,9}) failures?",),
        "skipped": (r"\d+ tests?, .*?(\d{1,9}) skipped",),
    },
)

RUNNERS = (RSPEC, MINITEST, PHPUNIT, BATS)
