"""Tables of the page, in Markdown."""


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def yes(holds: bool) -> str:
    return "yes" if holds else "**no**"
