"""Links from a page to its downloadable formats."""

from collections.abc import Sequence

from gluepot.board.drawing.formats import TYPES
from gluepot.board.server import addresses


def file_links(suite: str, version: str, page: str, query: str = "", forms: Sequence[str] = tuple(TYPES)) -> list[tuple[str, str]]:
    """Return the format names and addresses of a page's downloads."""
    return [(form.upper(), addresses.board(suite, version, page, query, form)) for form in forms]
