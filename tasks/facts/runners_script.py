"""Runners of JavaScript's and TypeScript's tests, and TAP, which others print too."""

from tasks.facts.runners import Runner

JEST = Runner(
    "jest",
    sign=r"(?:Tests|Test Suites): +.*\d+ total$",
    starts=r" *● (?!Console$)(\S.*)$",
    ends=r"(?:Test Suites|Tests|Snapshots): |(?:FAIL|PASS) +\S| *● Console$|Summary of all failing tests| *-+\|",
    summary=r"Tests: +.*\d+ total$",
    counts={
        "passed": (r"Tests: +.*?(\d{1,9}) passed",),
        "failed": (r"Tests: +.*?(\d{1,9}) failed",),
        "skipped": (r"Tests: +.*?(\d{1,9}) skipped", r"Tests: +.*?(\d{1,9}) todo"),
    },
)

VITEST = Runner(
    "vitest",
    sign=r" *(?:RUN|DEV) +v\d+\.| *Test Files +.*\d+ (?:passed|failed|skipped)",
    within=r" *⎯+ +(?:Failed|Unhandled) ",
    starts=r" *FAIL +(\S.*)$",
    ends=r" *⎯{3,}| *Test Files +\d",
    summary=r" *Tests +\d",
    counts={
        "passed": (r" *Tests +.*?(\d{1,9}) passed",),
        "failed": (r" *Tests +.*?(\d{1,9}) failed",),
        "skipped": (r" *Tests +.*?(\d{1,9}) skipped", r" *Tests +.*?(\d{1,9}) todo"),
    },
)

MOCHA = Runner(
    "mocha",
    sign=r" +\d+ passing \(",
    within=r" +\d+ failing$",
    starts=r" +\d+\) (\S.*)$",
    ends=r"npm ERR!|-+\|",
    summary=r" +\d+ passing \(",
    counts={
        "passed": (r" +(\d{1,9}) passing \(",),
        "failed": (r" +(\d{1,9}) failing$",),
        "skipped": (r" +(\d{1,9}) pending$",),
    },
)

NODE = Runner(
    "node",
    sign=r"ℹ tests \d+$",
    within=r"✖ failing tests:$",
    starts=r"test at (\S+)$",
    ends=r"ℹ ",
    summary=r"ℹ tests \d+$",
    failed=r" *✖ (?!failing tests:)(\S.*?)(?: \([\d.]+ms\))?$",
    counts={"passed": (r"ℹ pass (\d{1,9})$",), "failed": (r"ℹ fail (\d{1,9})$",), "skipped": (r"ℹ skipped (\d{1,9})$",)},
)

TAP = Runner(
    "tap",
    sign=r"TAP version \d+$|1\.\.\d+$",
    starts=r" *not ok \d+\b(?!.*# (?:TODO|SKIP))(?: -)?(.*)$",
    ends=r" *(?:not )?ok \d| *1\.\.\d|# (?:Subtest|tests|pass|fail|suites)\b",
    summary=r"1\.\.\d+",
    counts={
        "passed": (r"ok \d+\b(?!.*# (?:TODO|SKIP|skip))",),
        "failed": (r"not ok \d+\b(?!.*# (?:TODO|SKIP))",),
        "skipped": (r"(?:not )?ok \d+\b.*# (?:TODO|SKIP|skip)",),
    },
)

RUNNERS = (JEST, VITEST, MOCHA, NODE, TAP)
