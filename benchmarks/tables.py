"""Markdown tables of the page."""


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


MISSING = "–"
"""Cell without a measurement."""


def filled(page: str, rows: list[list[str]], keys: int = 1) -> list[list[str]]:
    """Return the rows with missing cells filled from a page's tables; rows are identified by their first cells.

    >>> filled("| task | value |\\n| --- | --- |\\n| a | 1 |\\n", [["a", "–"], ["b", "–"]])
    [['a', '1'], ['b', '–']]
    """
    shown = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in page.splitlines() if line.startswith("|")]
    before = {(len(cells), *cells[:keys]): cells for cells in shown}
    found = []
    for row in rows:
        old = before.get((len(row), *row[:keys]), row)
        found.append([own if own != MISSING else kept for own, kept in zip(row, old, strict=True)])
    return found


def widened(page: str, columns: int) -> str:
    """Return the page with additional empty columns at the end of its tables.

    >>> widened("| a | 1 |\\n", 1)
    '| a | 1 | – |\\n'
    """
    return "".join(f"{line}{f' {MISSING} |' * columns if line.startswith('|') else ''}\n" for line in page.splitlines())


def replaced(page: str, lines: str, keys: int = 1) -> str:
    """Return the page with table rows replaced by those that begin with the same cells.

    >>> replaced("| a | 1 |\\n| b | 2 |\\n", "| b | 3 |")
    '| a | 1 |\\n| b | 3 |\\n'
    """
    new = {tuple(line.split(" | ")[:keys]): line for line in lines.splitlines() if not line.startswith("| ---")}
    return "".join(f"{new.get(tuple(line.split(' | ')[:keys]), line)}\n" for line in page.splitlines())


def yes(holds: bool) -> str:
    return "yes" if holds else "**no**"
