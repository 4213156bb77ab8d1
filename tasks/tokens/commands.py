"""Whether a shell command runs tests. Made to be right about what agents really type, not to be a shell."""

import re
import shlex

HINT = re.compile(
    r"test|spec|jest|mocha|check|tox|nox|bats|prove|phpunit|\bava\b|karma|cypress|pest|verify|trial|behave|cucumber|\bt\b",
    re.IGNORECASE,
)
"""Cheap first look: most commands hold none of these and are never taken apart."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


RUNNERS = _words(
    "pytest py.test nosetests nose2 jest vitest mocha ava karma jasmine rspec phpunit pest ctest tox nox bats prove busted "
    "trial behave cucumber gotestsum elm-test stestr testem unittest"
)
"""Programs that do nothing but run tests."""

TEST_WORDS = {
    _words(
        "go dotnet swift mix zig flutter dart bazel bazelisk buck2 pants meson stack cabal rails artisan ng playwright forge "
        "hardhat xcodebuild manage.py"
    ): {"test"},
    _words("mvn mvnw"): {"verify"},
    _words("make gmake gradle gradlew"): {"check"},
    _words("cargo"): {"test", "t", "nextest"},
    _words("cypress"): {"run"},
    _words("node"): {"--test"},
    _words("npm"): {"t"},
    _words("rake"): {"spec"},
}
"""Programs that run tests when one of their words is one of these."""

TASK_RUNNERS = _words(
    "make gmake just task npm yarn pnpm bun deno mise invoke inv composer rake mvn mvnw gradle gradlew sbt ant lein mill nx "
    "turbo lerna hatch pdm rush moon"
)
"""Programs whose words are names that a project chose."""

TARGET = re.compile(r"(?:^|[:_-])tests?(?:$|[:_.-])|(?:^|:)(?:test|[a-z]\w*Test)(?:[A-Z]\w*)?$")
"""A name that says testing: `test`, `test:unit`, `e2e-test`, `:app:testDebug`."""

SCRIPT = re.compile(r"(?:^|[-_])tests?(?:[-_].*)?\.(?:sh|py|js|ts|mjs|rb|pl)$")
OTHER_SCRIPT = re.compile(r"\.(?:sh|py|js|ts|mjs|rb|pl)$")

WRAPPERS = _words(
    "sudo time timeout nice env command exec npx bunx pnpx uv uvx poetry pipenv pdm hatch rye run bundle xvfb-run dotenv nohup "
    "stdbuf ruby php coverage mise yarn pnpm bun xargs if then do else while ! { not"
)
"""Words that may stand before the program that matters."""

CONTAINERS = _words("docker podman docker-compose kubectl")
"""Wrappers that take any words before the program."""

INSTALLING = _words("install i add remove uninstall sync")
DIRECTORY_OPTIONS = _words("-C -f --prefix --cwd --dir --directory --filter -w")
SHELLS = _words("bash sh zsh dash")
COMMAND_OPTION = re.compile(r"^-\w*c$")
PYTHON = re.compile(r"^python[\d.]*$")
ASSIGNMENT = re.compile(r"^\w+=")
HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1([^\n]*)\n.*?(?:\n[ \t]*\2[ \t]*(?=\n|$)|\Z)", re.DOTALL)
SEPARATORS = _words("&& || ; ;; | |& & ( ) ()")
_TEST_WORDS = {program: words for programs, words in TEST_WORDS.items() for program in programs}


def runs_tests(command: str) -> bool:
    """True when one of the simple commands in `command` is a test run, whatever stands around it."""
    if not HINT.search(command):
        return False
    return any(_is_test_run(words) for words in simple_commands(command))


def simple_commands(command: str) -> list[list[str]]:
    """The words of each simple command, without the bodies of here-documents."""
    text = HEREDOC.sub(r"\3\n", command).replace("\\\n", " ").replace("\n", " ; ")
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    found: list[list[str]] = [[]]
    try:
        for word in lexer:
            if word in SEPARATORS:
                found.append([])
            else:
                found[-1].append(word)
    except ValueError:
        pass  # a quote that does not close: what stands before it still tells
    return [words for words in found if words]


def _is_test_run(words: list[str]) -> bool:
    """Looks at the first word, and at the next one as long as only wrappers and their options stand before it."""
    for position, word in enumerate(words):
        program, before, rest = word.rsplit("/", 1)[-1], words[:position], words[position + 1 :]
        if INSTALLING & set(before[:3] + rest[:1]):
            return False
        if program in SHELLS and len(rest) > 1 and COMMAND_OPTION.match(rest[0]):
            return runs_tests(rest[1])
        if _names_tests(program, rest):
            return True
        if OTHER_SCRIPT.search(program) or not _may_precede(program, before):
            return False
    return False


def _names_tests(program: str, rest: list[str]) -> bool:
    arguments = rest[: rest.index("--")] if "--" in rest else rest
    if program in RUNNERS:
        return "--version" not in arguments
    if SCRIPT.search(program) or _TEST_WORDS.get(program, set()) & set(arguments):
        return True
    return program in TASK_RUNNERS and any(
        TARGET.search(word)
        for previous, word in zip(["", *arguments], arguments, strict=False)
        if previous not in DIRECTORY_OPTIONS and not word.startswith("-") and "/" not in word
    )


def _may_precede(program: str, before: list[str]) -> bool:
    return (
        program in WRAPPERS
        or program in CONTAINERS
        or bool(PYTHON.match(program) or ASSIGNMENT.match(program))
        or bool(before and (program[:1] in "-+0123456789" or before[-1].startswith("-") or CONTAINERS & set(before)))
    )
