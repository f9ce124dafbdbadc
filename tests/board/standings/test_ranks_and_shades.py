"""Ranks and shades of boards that know nothing, little and everything, against loops that share no code with the board."""

import re
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client
from tests.board.views.answering import add_score, add_system, open_suite

SUITE, TASK, METRIC, N = "superlim", "swewinograd", "accuracy", 140
Z = {1: 1.959963985, 2: 2.241402728, 3: 2.393979800, 4: 2.497705474, 5: 2.575829304}
"""Two-sided 5 % of the normal distribution, shared by so many comparisons."""


@pytest.fixture
def client(board: Path) -> Client:
    return Client(HTTP_HOST="localhost")


def wilson(share: float, n: int) -> tuple[float, float]:
    z = Z[1]
    middle, reach = (share + z * z / 2 / n) / (1 + z * z / n), z * sqrt(share * (1 - share) / n + z * z / 4 / n / n) / (1 + z * z / n)
    return middle - reach, middle + reach


def fill(values: dict[str, float], known: set[str], drawn: set[str]) -> None:
    """Systems with a value; `known` ones with an interval, `drawn` ones with resamples."""
    version, rng = open_suite(SUITE), np.random.default_rng(0)
    for slug, value in values.items():
        more: dict[str, Any] = {"verified": slug in drawn, "n": N}
        if slug in known:
            more["low"], more["high"] = wilson(value, N)
        if slug in drawn:
            more["low"], more["high"] = value - 0.05, value + 0.05
            more["replicates"] = (value + rng.normal(0, 0.025, 1000)).astype(np.float32).tobytes()
        add_score(add_system(version, slug), TASK, "alpha-nominal", value, **more)


def expected(values: dict[str, float], errors: dict[str, float]) -> dict[str, tuple[int, int, int]]:
    """Rank and interval of each system by its own error, every comparison at an equal share of 5 %."""
    found = {}
    for one, value in values.items():
        place = 1 + sum(other > value for other in values.values())
        better = worse = 0
        for other in errors:
            if one in errors and other != one:
                reach = Z[len(errors) - 1] * sqrt(errors[one] ** 2 + errors[other] ** 2)
                better += values[other] - value > reach
                worse += value - values[other] > reach
        found[one] = (place, 1 + better, len(values) - worse)
    return found


def shown(client: Client) -> tuple[dict[str, tuple[int, int, int]], set[str]]:
    rows = client.get(f"/b/{SUITE}/2.0.4.json?only={TASK}").json()["rows"]
    return {row["slug"]: (row["rank"], row["rank_low"], row["rank_high"]) for row in rows}, {row["slug"] for row in rows if row["tied"]}


VALUES = {"a": 0.9, "b": 0.86, "c": 0.6, "d": 0.55, "e": 0.2}


def test_a_board_of_reported_scores_alone_knows_no_place(client: Client) -> None:
    fill(VALUES, set(), set())
    ranks, shades = shown(client)
    assert ranks == {slug: (number, 1, 5) for number, slug in enumerate(VALUES, 1)}
    assert shades == set()
    page = client.get(f"/b/{SUITE}/2.0.4?only={TASK}").content.decode()
    assert "1 <small>(1–5)</small>" in page
    assert "class=tie" not in page


def test_a_board_with_few_intervals_ranks_by_these(client: Client) -> None:
    known = {"a", "c", "e"}
    fill(VALUES, known, set())
    errors = {slug: (wilson(VALUES[slug], N)[1] - wilson(VALUES[slug], N)[0]) / 2 / Z[1] for slug in known}
    ranks, shades = shown(client)
    assert ranks == expected(VALUES, errors)
    assert shades == {slug for slug in known if expected(VALUES, errors)[slug][1] == 1} == {"a"}


def test_a_board_with_all_intervals_ranks_and_shades_by_all(client: Client) -> None:
    fill(VALUES, set(VALUES), set())
    errors = {slug: (wilson(value, N)[1] - wilson(value, N)[0]) / 2 / Z[1] for slug, value in VALUES.items()}
    ranks, shades = shown(client)
    assert ranks == expected(VALUES, errors)
    assert shades == {slug for slug, rank in ranks.items() if rank[1] == 1} == {"a", "b"}


def test_resamples_and_stated_intervals_are_compared_with_each_other(client: Client) -> None:
    fill(VALUES, {"b", "d"}, {"a", "c", "e"})
    ranks, shades = shown(client)
    assert shades == {"a", "b"}
    assert ranks["a"][1:] == (1, 2)
    assert ranks["e"] == (5, 5, 5)


@pytest.mark.parametrize(("drawn", "bold"), [(set(), None), ({"b", "c"}, "86.0"), (set(VALUES), "90.0")])
def test_bold_is_the_best_that_was_computed_here_on_the_page_and_in_files(client: Client, drawn: set[str], bold: str | None) -> None:
    fill(VALUES, set(VALUES) - drawn, drawn)
    address = f"/b/{SUITE}/2.0.4"
    page, table = (client.get(f"{address}{end}?only={TASK}").content.decode() for end in ("", ".md"))
    overall = re.findall(r'<td class="main[^"]*"[^>]*><div><output>(.*?)</output>', page)
    assert [text for text in overall if "<b>" in text] == ([f"<b>{bold}</b>"] if bold else [])
    assert re.findall(r"\*\*(.*?)\*\*", table) == ([bold, bold] if bold else [])  # the overall number and the task's
