"""The documents say what is there, and what they tell people to type is what runs."""

import re
from pathlib import Path

import pytest
import typer

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted(
    p for p in ROOT.rglob("*.md") if not {".venv", "cases", "prompts", "node_modules"} & set(p.relative_to(ROOT).parts)
)
README = (ROOT / "README.md").read_text("utf-8")
FIRST_COMMANDS = ("pip install uv && uv run midwatch nightly", "pip install uv && uv run --group test pytest")


def commands() -> list[str]:
    """The names that `midwatch --help` lists."""
    from flows import cli

    return sorted(typer.main.get_command(cli.app).commands)  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", commands())
def test_every_command_is_in_the_readme(command: str):
    assert re.search(rf"(midwatch {command}\b|`{command}`)", README), f"say in README.md what `midwatch {command}` is for"


def test_every_command_of_the_readme_exists():
    named = set(re.findall(r"(?:uv run |`)midwatch ([a-z]+)", README))
    assert named - set(commands()) == set()


@pytest.mark.parametrize("command", FIRST_COMMANDS)
def test_the_first_commands_are_what_continuous_integration_runs(command: str):
    assert f"\n    {command}\n" in README
    assert command in (ROOT / ".ci" / "run").read_text("utf-8")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_links_between_documents_lead_somewhere(document: Path):
    text = document.read_text("utf-8")
    links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", text) + re.findall(r"src(?:set)?=\"(?!https?:)([^\"]+)\"", text)
    assert [link for link in links if not (document.parent / link).exists()] == []


def test_every_page_about_a_room_is_linked_from_the_readme():
    pages = [
        p.relative_to(ROOT).as_posix() for room in ("flows", "tasks", "sql", "data") for p in (ROOT / room).rglob("README.md")
    ]
    assert [page for page in pages if f"]({page})" not in README] == []


@pytest.mark.parametrize("name", re.findall(r"query ([a-z_]+)", README))
def test_every_packaged_question_of_the_readme_exists(name: str):
    assert (ROOT / "sql" / "analysis" / f"{name}.sql").is_file()
