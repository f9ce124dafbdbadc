"""Tabular display of records, in a notebook or as a pandas or polars data frame."""

from html import escape
from typing import TYPE_CHECKING, Any

from gluepot.plurals import pluralize

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

MOST_SHOWN = 200
"""Maximum number of rows of a table in a notebook."""


class Tabular:
    """Mixin for objects with rows; all rows have the same columns, with None for missing values."""

    __slots__ = ()

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries from column to value."""
        raise NotImplementedError

    @property
    def caption(self) -> str:
        """One-line caption of the table."""
        return ""

    def to_pandas(self) -> "pd.DataFrame":
        """Return the rows as a pandas data frame."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def to_polars(self) -> "pl.DataFrame":
        """Return the rows as a polars data frame."""
        import polars as pl

        return pl.DataFrame(self.rows(), infer_schema_length=None, strict=False)

    def _repr_html_(self) -> str:
        rows = self.rows()
        columns = [name for name in (rows[0] if rows else {}) if any(row[name] is not None for row in rows)]
        head = "".join(f"<th>{escape(name)}</th>" for name in columns)
        body = "".join(f"<tr>{''.join(_cell(row[name]) for name in columns)}</tr>" for row in rows[:MOST_SHOWN])
        rest = pluralize(max(0, len(rows) - MOST_SHOWN), "more row")
        more = f"<tr><td colspan={len(columns)}>… {rest}</td></tr>" if len(rows) > MOST_SHOWN else ""
        return f"<table><caption>{escape(self.caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}{more}</tbody></table>"


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f'<td style="text-align: right">{value:.3f}</td>'
    if isinstance(value, int) and not isinstance(value, bool):
        return f'<td style="text-align: right">{value:,}</td>'
    return f'<td style="text-align: left">{"" if value is None else escape(str(value))}</td>'


def even_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows with the union of their columns, None for missing values.

    >>> even_rows([{"a": 1}, {"b": 2}])
    [{'a': 1, 'b': None}, {'a': None, 'b': 2}]
    """
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return [{name: row.get(name) for name in columns} for row in rows]
