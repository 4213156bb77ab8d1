"""`midwatch report`: the page of the night, of one session, and both as Markdown."""

import json
from pathlib import Path

import pytest
from accounts import SESSION, story
from pages import HOSTILE, parsed
from tables import on_disk
from typer.testing import CliRunner

from flows.cli import app
from tasks.store.layout import Layout


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    on_disk(Layout(folder), story(text="kiln"))
    return folder


def run(data: Path, *arguments: str, code: int = 0) -> str:
    ran = CliRunner().invoke(app, ["report", *arguments, "--data", str(data)], catch_exceptions=False)
    assert ran.exit_code == code, ran.stderr
    return ran.stderr if code else ran.stdout


def test_without_a_session_it_is_the_page_of_the_night(data: Path) -> None:
    assert run(data).strip() == str(Layout(data).reports / "index.html")
    assert json.loads(run(data, "--json")) == {"report": str(Layout(data).reports / "index.html")}


def test_a_session_is_found_by_its_beginning_and_has_a_page(data: Path) -> None:
    path = Path(run(data, "weaver:loom-1").strip())
    assert path.parent == Layout(data).session_reports
    assert SESSION in path.read_text(encoding="utf-8")


def test_several_candidates_are_listed(data: Path) -> None:
    told = run(data, "weaver:loom", code=2)
    assert "may be any of 2 sessions" in told
    assert "weaver:loom-0" in told


def test_an_unknown_format_is_refused(data: Path) -> None:
    assert "--format pdf: give html or markdown" in run(data, "--format", "pdf", code=2)


def test_json_gives_what_the_page_of_a_session_is_made_from(data: Path) -> None:
    told = json.loads(run(data, SESSION, "--json"))
    assert told["session_id"] == SESSION
    assert told["answers"]["facts_of_session"][0]["prompt_tokens"] == 4_200


def test_markdown_of_a_session_goes_to_stdout(data: Path) -> None:
    """Two results of 500 tokens sent are 1,000, at 30 cents, of 72 in all."""
    told = run(data, SESSION, "--format", "markdown")
    assert f"| Session | `{SESSION}` |" in told
    assert "| tool results | 1,000 | $0.30 | – | – | $0.30 | 41.7 % |" in told
    assert "| after a pause | 1 | 400 | < $0.01 |" in told
    assert "| 3 | Shrank without a record, all but the latest results left |" in told


def test_markdown_of_the_night_goes_to_stdout(data: Path) -> None:
    """The books: 4,200 prompt tokens are 1,300 of items, 2,700 of overhead and 200 that nothing explains."""
    told = run(data, "--format", "markdown")
    assert "| Prompt tokens | 4,200, 50.0 % of them read from the cache |" in told
    assert "| `weaver` | 3 | 3 | 1,300 | 2,700 | 200 | 0 |" in told
    assert json.loads(run(data, "--format", "markdown", "--json"))["answers"]["headline"][0]["prompt_tokens"] == 4_200


def test_markdown_holds_words_of_a_log_as_code_alone(tmp_path: Path) -> None:
    """With harmless words and with hostile ones, all that is no code is the same."""
    on_disk(Layout(tmp_path / "a"), story(text="kiln"))
    on_disk(Layout(tmp_path / "b"), story(text=HOSTILE))
    for arguments in (("--format", "markdown"), (SESSION, "--format", "markdown")):
        plain, hostile = run(tmp_path / "a", *arguments), run(tmp_path / "b", *arguments)
        assert "gnp.exe" in hostile
        assert not set(hostile) & set("\x1b\u202e\u200b")
        assert shown(plain) == shown(hostile)


def shown(markdown: str) -> list[tuple[str, str]]:
    return [(t.type, "" if t.type == "code_inline" else t.content) for t in parsed(markdown) if t.type != "inline"]


def test_a_place_that_others_read_gets_no_file_and_no_prompt(data: Path) -> None:
    from flows.inputs import lake
    from tasks import brief
    from tasks.domain.settings import Settings
    from tasks.report.brief import markdown

    with lake(Settings(data=data)) as (con, layout):
        told = markdown(brief.of_night(con, layout), names_things=False)
    assert "## By tool" in told
    assert "## By file" not in told
    assert "What is still open" not in told
