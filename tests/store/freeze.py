"""Writes tests/store/versions/<table>/v<n>.parquet for each table whose present schema version has none yet.

Run it once after raising a version in tasks/store/schemas.py: `python tests/store/freeze.py`, with the checkout and tests/ on
PYTHONPATH. A file that is there is never written again: it is what lakes of that version look like.
"""

import shutil
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import specimen
from lakes import night
from looms import loom

from tasks.domain.ports import InProcess, Silent
from tasks.domain.settings import Settings
from tasks.evaluate import evaluate
from tasks.store import catalog, manifest, parts
from tasks.store.layout import Layout
from tasks.store.schemas import TABLES, Table

VERSIONS = Path(__file__).parent / "versions"


def frozen(table: Table) -> Path:
    """Where the file of a table's present version lies."""
    return VERSIONS / table.name / f"v{table.version}.parquet"


def main() -> None:
    missing = [table for table in TABLES.values() if not frozen(table).exists()]
    with tempfile.TemporaryDirectory() as folder:
        data, beside = specimen.data(Path(folder)), Layout(Path(folder) / "beside")
        _evaluated(data)
        with catalog.connect(Layout(data)) as con:
            for table in missing:
                columns = ", ".join(f'"{name}"' for name in table.schema.names)
                rows = con.sql(f"select {columns} from lake.{table.name} order by {', '.join(table.sort)}").to_arrow_table()
                part = parts.write(beside, table, _placeless(rows, folder))
                assert part, f"the specimen has no rows of {table.name}"
                frozen(table).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(manifest.path_of(beside, part), frozen(table))


def _evaluated(data: Path) -> None:
    """Adds a session that is large enough to try policies on."""
    loom("large").write(data.parent / "archive")
    night(data.parent / "archive", data)
    evaluate(Settings(data=data, workers=1), InProcess(), Silent(), None)


def _placeless(rows: pa.Table, folder: str) -> pa.Table:
    """Without the path of the folder that the logs happened to lie in."""
    for at, field in enumerate(rows.schema):
        if pa.types.is_string(field.type):
            rows = rows.set_column(at, field.name, pc.replace_substring(rows.column(at), folder, "/srv"))
    return rows


if __name__ == "__main__":
    main()
