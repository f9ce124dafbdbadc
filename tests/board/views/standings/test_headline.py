"""Headline, legend and axis of a standings page: claims are never stronger than the scores support."""

import re
from pathlib import Path

import pytest
from django.test import Client
from tests.board.views.answering import add_score, add_system, open_suite

from gluepot.board.drawing.marks import make_axis

TASK = "dalaj-ged-superlim"
PAGE = f"/b/superlim/2.0.4?only={TASK}"


def show(scores: dict[str, tuple[float, float | None, bool]], query: str = "") -> str:
    """Return the page of one task; scores are a value, the half-width of its interval, and whether it is verified."""
    version = open_suite("superlim")
    for name, (value, half, verified) in scores.items():
        ends = {} if half is None else {"low": value - half, "high": value + half}
        add_score(add_system(version, name, name=f"KB/{name}"), TASK, "alpha-nominal", value, verified=verified, **ends)
    return Client(HTTP_HOST="localhost").get(PAGE + query).content.decode()


def headline(page: str) -> str:
    found = re.search(r'id="headline">(.*?)</p>', page)
    assert found is not None
    return re.sub("<.*?>", "", found[1])


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ({"a": (0.7, 0.01, True)}, "Only one system is ranked here: a, with 70.0."),
        ({"a": (0.7, 0.01, True), "b": (0.5, 0.01, True)}, "a is the best, with 70.0."),
        ({"a": (0.7, 0.01, False), "b": (0.5, 0.01, False)}, "a is the best by what was reported, with 70.0."),
        (
            {"a": (0.7, None, False), "b": (0.6, 0.01, True), "c": (0.5, None, False)},
            "Only b has an interval, so the ranks are unknown. a has the highest number, 70.0. "
            "2 systems have no interval: any rank is possible for them.",
        ),
        (
            {"a": (0.7, None, False), "b": (0.6, 0.01, True), "c": (0.595, 0.01, True)},
            "2 of the 2 systems with an interval may be the best. a has the highest number, 70.0. b, c cannot be ruled out. "
            "1 system has no interval: any rank is possible for it.",
        ),
    ],
)
def test_headline_is_as_certain_as_its_scores(board: Path, scores: dict[str, tuple[float, float | None, bool]], said: str) -> None:
    assert headline(show(scores)) == said


def test_a_mean_of_ranks_is_not_called_high(board: Path) -> None:
    said = headline(show({"a": (0.7, 0.01, True), "b": (0.5, 0.01, True)}, "&agg=rank"))
    assert said.endswith("a comes first, with 1.00.")


def test_legend_explains_only_the_bars_shown(board: Path) -> None:
    page = show({"a": (0.7, None, False), "b": (0.6, None, False)})
    assert "no interval: any rank is possible" in page
    assert "ranks that cannot be ruled out at 95 % confidence" not in page


@pytest.mark.parametrize(("half", "verified"), [(None, False), (0.01, True)])
def test_legend_explains_only_the_shades_and_marks_shown(board: Path, half: float | None, verified: bool) -> None:
    legend = show({"a": (0.7, half, verified), "b": (0.6, half, verified)}).partition('id="legend"')[2].partition("</p>")[0]
    assert ("cannot be told apart from the best of its column" in legend) is (half is not None)
    assert ("reported by others, not recomputed" in legend) is not verified


def test_headline_names_intervals_of_tasks_without_one_overall(board: Path) -> None:
    version = open_suite("superlim")
    for name, value in (("a", 0.7), ("b", 0.6)):
        entry = add_system(version, name)
        add_score(entry, TASK, "alpha-nominal", value, verified=False, low=value - 0.01, high=value + 0.01)
        add_score(entry, "swewic", "alpha-nominal", value, verified=False)
    page = Client(HTTP_HOST="localhost").get(f"/b/superlim/2.0.4?tasks={TASK},swewic").content.decode()
    assert "Only single tasks have intervals, not the overall scores" in headline(page)


def test_human_entries_without_scores_have_no_row(board: Path) -> None:
    version = open_suite("superlim")
    add_score(add_system(version, "a"), TASK, "alpha-nominal", 0.7)
    add_score(add_system(version, "raters", role="human"), TASK, "alpha-nominal", None)
    add_score(add_system(version, "experts", role="human"), TASK, "alpha-nominal", 0.9)
    rows = Client(HTTP_HOST="localhost").get("/b/superlim/2.0.4.json").json()["rows"]
    assert {row["slug"] for row in rows} == {"a", "experts"}


def test_maker_is_shown_below_the_name_and_in_its_text(board: Path) -> None:
    page = show({"bert": (0.7, 0.01, True)})
    assert "<span class=vh>KB/</span>bert</a><small>KB" in page


def test_system_without_the_only_task_is_marked_as_not_run(board: Path) -> None:
    version = open_suite("superlim")
    add_score(add_system(version, "a"), TASK, "alpha-nominal", 0.5)
    add_score(add_system(version, "b"), "swefaq", "alpha-nominal", 0.5)
    assert "<span class=part>not run</span>" in Client(HTTP_HOST="localhost").get(PAGE).content.decode()


def test_pinned_systems_are_not_labelled_unranked(board: Path) -> None:
    page = show({"a": (0.7, 0.01, True), "b": (0.6, 0.01, True)}, "&pin=b")
    assert "Pinned, and for reference" in page
    assert "For reference, not ranked" not in page


def test_empty_result_names_the_chosen_size_filter(board: Path) -> None:
    version = open_suite("superlim")
    add_score(add_system(version, "a", parameters=10**9), TASK, "alpha-nominal", 0.5)
    client = Client(HTTP_HOST="localhost")
    for query, said in (("pmax=1M", "size ≤ 1M"), ("pmin=2B", "size ≥ 2B"), ("pmin=1M&pmax=2M", "size 1M–2M")):
        assert f"Without {said}: 1 system" in client.get(f"{PAGE}&{query}").content.decode()


def test_an_interval_that_leaves_the_axis_has_an_arrow() -> None:
    values, ends = [0.75, 0.74, 0.73, 0.72, 0.71, 0.70], [0.4, 0.95, 0.70, 0.76]
    axis = make_axis(values, ends)
    assert axis is not None
    assert "class=off" in axis.draw(0.4, 0.70, 0.95)
    assert "class=off" not in axis.draw(0.70, 0.73, 0.76)


def test_axis_covers_whole_intervals_of_similar_scores() -> None:
    axis = make_axis([0.655, 0.643], [0.62, 0.69, 0.61, 0.66])
    assert axis is not None
    assert axis.low <= 0.61
    assert axis.high >= 0.69
