"""Ranks and tie shading with no, few and all intervals, compared with loops that share no code with the board."""

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
"""Critical values of the normal distribution at a two-sided 5 %, Bonferroni-corrected, by number of comparisons."""


@pytest.fixture
def client(board: Path) -> Client:
    return Client(HTTP_HOST="localhost")


def wilson(share: float, n: int) -> tuple[float, float]:
    z = Z[1]
    middle, reach = (share + z * z / 2 / n) / (1 + z * z / n), z * sqrt(share * (1 - share) / n + z * z / 4 / n / n) / (1 + z * z / n)
    return middle - reach, middle + reach


def fill(values: dict[str, float], known: set[str], drawn: set[str]) -> None:
    """Add systems with a score; those in `known` have an interval, those in `drawn` have resamples."""
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
    """Return the rank and the rank interval of each system from its standard error, with 5 % shared equally by its comparisons."""
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


def test_reported_scores_alone_give_no_significant_ranks(client: Client) -> None:
    fill(VALUES, set(), set())
    ranks, shades = shown(client)
    assert ranks == {slug: (number, 1, 5) for number, slug in enumerate(VALUES, 1)}
    assert shades == set()
    page = client.get(f"/b/{SUITE}/2.0.4?only={TASK}").content.decode()
    assert "1 <small>(1–5)</small>" in page
    assert "class=tie" not in page


def test_board_with_few_intervals_ranks_by_them(client: Client) -> None:
    known = {"a", "c", "e"}
    fill(VALUES, known, set())
    errors = {slug: (wilson(VALUES[slug], N)[1] - wilson(VALUES[slug], N)[0]) / 2 / Z[1] for slug in known}
    ranks, shades = shown(client)
    assert ranks == expected(VALUES, errors)
    assert shades == {slug for slug in known if expected(VALUES, errors)[slug][1] == 1} == {"a"}


def test_board_with_all_intervals_ranks_and_shades_by_all(client: Client) -> None:
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
def test_best_computed_score_is_bold_on_the_page_and_in_files(client: Client, drawn: set[str], bold: str | None) -> None:
    fill(VALUES, set(VALUES) - drawn, drawn)
    address = f"/b/{SUITE}/2.0.4"
    page, table = (client.get(f"{address}{end}?only={TASK}").content.decode() for end in ("", ".md"))
    overall = re.findall(r'<td class="main[^"]*"[^>]*><div><output>(.*?)</output>', page)
    assert [text for text in overall if "<b>" in text] == ([f"<b>{bold}</b>"] if bold else [])
    assert re.findall(r"\*\*(.*?)\*\*", table) == ([bold, bold] if bold else [])  # overall and the task


def bold_of(client: Client, query: str) -> list[set[str]]:
    """Return the bold values of the page and those of its Markdown file."""
    address = f"/b/{SUITE}/2.0.4"
    page = client.get(f"{address}?{query}", follow=True).content.decode()
    files = client.get(f"{address}.md?{query}").content.decode()
    return [set(re.findall(r"<td[^>]*><b>([\d.]+)</b>", page)), set(re.findall(r"\*\*(.*?)\*\*", files))]


def test_bold_marks_the_best_of_all_competing_systems_and_not_of_those_shown(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(VALUES, set(), set(VALUES))
    assert bold_of(client, "") == [{"90.0"}, {"90.0"}]
    for query in ("s=c,d", "q=d"):
        assert bold_of(client, query) == [set(), set()], "worse ones do not become the best by being looked at alone"
    monkeypatch.setattr("gluepot.board.standings.making.PAGE", 2)
    assert bold_of(client, "page=2") == [set(), set()]
    assert bold_of(client, "only=swewinograd&page=2") == [set(), set()]


def test_older_snapshot_shows_its_best_values_in_bold(client: Client) -> None:
    from gluepot.board.models import Snapshot, SuiteVersion
    from gluepot.board.standings.snapshots import take_snapshot

    fill(VALUES, set(), set(VALUES))
    kept = take_snapshot(SuiteVersion.objects.get(), f"only={TASK}")
    document = {name: value for name, value in kept.document.items() if name != "best"}
    document["tasks"] = [{name: value for name, value in task.items() if name != "best"} for task in document["tasks"]]
    Snapshot.objects.filter(pk=kept.pk).update(document=document)
    assert client.get(f"/snap/{kept.key}").content.decode().count("<b>90.0</b>") == 2  # the cell and the overall score


def test_equal_predictions_tie_despite_rounding_differences_of_their_means(client: Client) -> None:
    value = 0.1 + 0.2  # not 0.3
    version = open_suite(SUITE)
    drawn = (0.3 + np.random.default_rng(0).normal(0, 0.02, 1000)).astype(np.float32).tobytes()
    for slug, mean in (("once", 0.3), ("thrice", value)):
        add_score(add_system(version, slug), TASK, "alpha-nominal", mean, replicates=drawn, low=0.25, high=0.35)
    ranks, shades = shown(client)
    assert ranks == {"once": (1, 1, 2), "thrice": (1, 1, 2)}
    assert shades == {"once", "thrice"}
    page = client.get(f"/b/{SUITE}/2.0.4").content.decode()
    assert len(re.findall(r"<td class=tie[^>]*><b>30.0</b>", page)) == 2


@pytest.mark.parametrize("first", ["a", "b"])
def test_all_pages_prefer_the_same_of_two_equally_frequent_data_versions(client: Client, first: str) -> None:
    version = open_suite(SUITE)
    for slug in (first, "ab".replace(first, "")):
        add_score(add_system(version, slug), TASK, "alpha-nominal", 0.5, data={"a": "new", "b": "old"}[slug])
    rows = client.get(f"/b/{SUITE}/2.0.4.json").json()["rows"]
    on_board = {row["slug"] for row in rows if row["scores"][TASK]}
    listed = {row["slug"] for row in client.get(f"/b/{SUITE}/2.0.4/tasks/{TASK}.json").json()["scores"]}
    assert on_board == listed == {"a"}


def test_every_output_names_harness_and_interval_method_of_a_score(client: Client) -> None:
    add_score(add_system(open_suite(SUITE), "a"), TASK, "accuracy", 0.5, harness="harness 1.2", method="wilson", low=0.4, high=0.6)
    add_score(add_system(open_suite("pocket"), "a"), "stance-sv", "alpha-nominal", 0.5, harness="harness 1.3", method="wilson")
    found = client.get("/api/scores?suite=superlim").json()["items"]
    assert [(one["harness"], one["method"]) for one in found] == [("harness 1.2", "wilson")]
    [listed] = client.get("/b/pocket/1/tasks/stance-sv.json").json()["scores"]
    assert (listed["harness"], listed["method"]) == ("harness 1.3", "wilson")
    page = client.get("/s/a.json").json()
    lines = [line for result in page["results"] for part in result["parts"] for task in part["tasks"] for line in task["lines"]]
    assert {line["harness"] for line in lines} == {"harness 1.2", "harness 1.3"} == {past["harness"] for past in page["history"]}
