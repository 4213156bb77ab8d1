"""How many rows each check of `sql/checks` finds that should not be."""

from typing import TYPE_CHECKING

from tasks.store import sql

if TYPE_CHECKING:
    import duckdb


def offenders(con: "duckdb.DuckDBPyConnection") -> dict[str, int]:
    """By name of the check; those that find nothing are left out."""
    found = {name: len(sql.run(con, sql.load(f"checks/{name}")).rows) for name in sql.names("checks")}
    return {name: rows for name, rows in found.items() if rows}
