"""Quality against cost, as a page of its own."""

from collections.abc import Sequence

from gluepot.efficiency.figures.tradeoffs import Tradeoff
from gluepot.reporting.html.document import render_document
from gluepot.reporting.html.markup import el
from gluepot.reporting.tradeoffs.part import tradeoffs_part


def render_tradeoffs(tradeoffs: Sequence[Tradeoff]) -> str:
    """Return the whole page."""
    title = "What quality costs"
    return render_document(title, el("header", el("h1", title)), el("main", tradeoffs_part(tradeoffs)))
