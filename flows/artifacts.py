"""What a tracked night leaves beside its run: a summary, the books, the dearest kinds and tools, and where the page is.

Who may see a Prefect server may see these, so they name no file, project or prompt.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from prefect.artifacts import create_link_artifact, create_markdown_artifact, create_table_artifact

from flows.inputs import lake
from tasks import brief
from tasks.report.brief import books, kinds, markdown, tools

if TYPE_CHECKING:
    from tasks.domain.settings import Settings


def of_night(settings: "Settings", text: str, page: Path) -> None:
    """All artifacts of a night. `text` is its closing summary."""
    with lake(settings) as (con, layout):
        night = brief.of_night(con, layout)
    of_text("midwatch-night", text, markdown(night, names_things=False))
    create_table_artifact(key="midwatch-books", table=books(night), description="How far prompts are accounted for, by agent")
    create_table_artifact(key="midwatch-kinds", table=kinds(night), description="What carrying each kind of item took")
    create_table_artifact(key="midwatch-tools", table=tools(night), description="What the dearest tools took")
    of_page(page)


def of_text(key: str, text: str, more: str = "") -> None:
    """The closing summary of a run, with what else there is to say."""
    create_markdown_artifact(key=key, markdown=f"```\n{text}\n```\n\n{more}".rstrip(), description="What the run did")


def of_page(page: Path) -> None:
    """Where the page is, on the machine that made it."""
    create_link_artifact(
        key="midwatch-report", link=page.absolute().as_uri(), link_text="The report", description="On the machine of the run"
    )
