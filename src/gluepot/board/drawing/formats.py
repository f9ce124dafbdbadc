"""Tables as CSV, Markdown and LaTeX files; numbers have full precision in CSV and displayed precision in the others."""

import csv
from collections.abc import Iterable, Sequence
from io import StringIO

from gluepot.escaping import escape_latex, escape_markdown, escape_spreadsheet


class Bold(str):
    """Highlighted text: the best value, or a significant one."""

    __slots__ = ()


Cell = str | int | float | None
TYPES = {"csv": "text/csv", "json": "application/json", "md": "text/markdown", "tex": "application/x-latex"}


def neutral(cell: Cell) -> Cell:
    """Prefix text that a spreadsheet would execute with an apostrophe; numbers stay numbers.

    >>> neutral("=1+1"), neutral(-0.5), neutral("KB/bert")
    ("'=1+1", -0.5, 'KB/bert')
    """
    return escape_spreadsheet(cell) if isinstance(cell, str) else cell


def write_csv(head: Sequence[str], rows: Sequence[Sequence[Cell]], notes: Sequence[str] = ()) -> str:
    """Write notes as `#` lines, then one line per row; missing cells are empty."""
    stream = StringIO()
    for note in notes:
        stream.write(f"# {escape_spreadsheet(' '.join(note.split()))}\r\n")
    writer = csv.writer(stream)
    writer.writerow([neutral(name) for name in head])
    writer.writerows([["" if cell is None else neutral(cell) for cell in row] for row in rows])
    return stream.getvalue()


def write_markdown(head: Sequence[str], rows: Sequence[Sequence[Cell]], notes: Sequence[str] = ()) -> str:
    """Write a Markdown table; names and notes are escaped, so that they contain no markup, links or images of their own."""
    lines = [_line(map(escape_markdown, head)), _line(["---", *["--:"] * (len(head) - 1)])]
    lines += [
        _line(f"**{escape_markdown(cell)}**" if isinstance(cell, Bold) else escape_markdown(_shown(cell)) for cell in row) for row in rows
    ]
    return "\n".join([*lines, "", *map(escape_markdown, notes), ""])


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def write_latex(head: Sequence[str], rows: Sequence[Sequence[Cell]], notes: Sequence[str] = ()) -> str:
    """Write a `tabular` with booktabs rules."""
    lines = [*(f"% {' '.join(note.split())}" for note in notes), rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}", r"\toprule"]
    lines += [_row(head) + r" \\", r"\midrule", *(_row(row) + r" \\" for row in rows)]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _row(cells: Sequence[Cell]) -> str:
    """Join cells into a line, protecting a leading bracket or star, which would be parsed as an option of the line before."""
    line = " & ".join(rf"\textbf{{{escape_latex(cell)}}}" if isinstance(cell, Bold) else escape_latex(_shown(cell)) for cell in cells)
    return f"{{}}{line}" if line.startswith(("[", "*")) else line


def _shown(cell: Cell) -> str:
    return "–" if cell is None else str(cell)


WRITERS = {"csv": write_csv, "md": write_markdown, "tex": write_latex}
