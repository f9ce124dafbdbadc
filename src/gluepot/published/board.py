"""Extensions of the board for the published suites: a plug-in of the group `gluepot.board`."""

from gluepot.published import errata, importing
from gluepot.published.importing import rank_score

__all__ = ["errata", "importing", "rank_score"]
