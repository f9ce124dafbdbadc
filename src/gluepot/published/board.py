"""What the published suites bring to a board: a plug-in of the group `gluepot.board`."""

from gluepot.published import errata, importing

__all__ = ["errata", "importing"]
