"""Forecast of the tokens, minutes and cost of a whole run, from a few items of each task."""

from msgspec import Struct

from gluepot.data.examples import load_examples
from gluepot.records import Suite
from gluepot.runs.scores.answer_stats import AnswerStats

ITEMS = 20
"""Items of each task answered for the forecast; their answers are stored and not requested again."""


class Forecast(Struct, frozen=True):
    """Forecast for one task."""

    task: str
    items: int
    tokens: int
    written: int
    minutes: float
    cost: float


def forecast(
    suite: Suite, split: str, seeds: int, asked: dict[str, AnswerStats], seconds: dict[str, float], price: str | None
) -> list[Forecast]:
    """Extrapolate in proportion to the number of items."""
    prices = [float(part) for part in (price or "0,0").split(",")]
    rows = []
    for name, few in asked.items():
        items = len(load_examples(suite.tasks[name], split)) * seeds
        times = items / few.items
        tokens, written = round(few.tokens * times), round(few.written * times)
        cost = (tokens * prices[0] + written * prices[1]) / 1e6
        rows.append(Forecast(name, items, tokens, written, seconds.get(name, 0.0) * times / 60, cost))
    return rows
