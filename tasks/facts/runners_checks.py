"""Compilers, linters and checkers of types: what they print is held like failures, for the next edit needs it to the letter."""

from tasks.facts.runners import Runner

TSC = Runner(
    "tsc",
    sign=r"\S.*\.[cm]?[jt]sx?(?:\(\d+,\d+\):|:\d+:\d+ -) error TS\d+:|error TS\d+:",
    starts=r"(\S.*\.[cm]?[jt]sx?(?:\(\d+,\d+\)|:\d+:\d+))(?: -|:) error TS\d+:|(error TS\d+):",
    ends=r"Found \d+ errors?|(?!\d+ )\S",
    tests=False,
)

ESLINT = Runner(
    "eslint",
    sign=r"✖ \d+ problems? \(",
    starts=r"((?:[A-Za-z]:)?[\w./\\@-]\S*\.\w+)$",
    ends=r"$|✖ ",
    tests=False,
)

RUFF = Runner(
    "ruff",
    sign=r"Found \d+ errors?\.|\S+\.(?:pyi?|ipynb):\d+:\d+: [A-Z]{1,4}\d+ ",
    starts=r"(\S+\.(?:pyi?|ipynb):\d+:\d+): [A-Z]{1,4}\d+ |([A-Z]{1,4}\d{3,4}) (?:\[\*\] )?\S",
    ends=r"Found \d|\[\*\] |No fixes|All checks|\d+ fix(?:es)? ",
    tests=False,
)

MYPY = Runner(
    "mypy",
    sign=r"\S+\.pyi?:\d+:(?:\d+:)? error: |Found \d+ errors? in \d+ files?",
    starts=r"(\S+\.pyi?:\d+(?::\d+)?): error: ",
    ends=r"(?!\S+:\d+:(?:\d+:)? note:)\S",
    tests=False,
)

PYRIGHT = Runner(
    "pyright",
    sign=r"\d+ errors?, \d+ warnings?, \d+ (?:informations?|notes?)",
    starts=r" +(\S+:\d+:\d+) - error: ",
    ends=r"\S| +\S+:\d+:\d+ - (?:warning|information)",
    tests=False,
)

GCC = Runner(
    "gcc",
    sign=r"(?!\S+\.pyi?:)\S[^:]*\.\w+:\d+:(?:\d+:)? (?:fatal )?error: ",
    starts=r"(?!\S+\.pyi?:)(\S[^:]*\.\w+:\d+(?::\d+)?): (?:fatal )?error: ",
    ends=r"(?!\S[^:]*:\d+:(?:\d+:)? note:)\S",
    tests=False,
)

RUSTC = Runner(
    "rustc",
    sign=r"error\[E\d+\]: |error: could not compile | +--> \S+\.rs:\d+:\d+",
    starts=r"(error(?:\[E\d+\])?): (?!could not compile|aborting due|test failed)",
    ends=r"$|warning|error",
    tests=False,
)

GOLANGCI = Runner(
    "golangci",
    sign=r"\S+\.go:\d+:\d+: .+ \([a-z]+\)$",
    starts=r"(\S+\.go:\d+:\d+): .+ \([a-z]+\)$",
    ends=r"\S",
    tests=False,
)

RUNNERS = (TSC, ESLINT, RUFF, MYPY, PYRIGHT, GCC, RUSTC, GOLANGCI)
