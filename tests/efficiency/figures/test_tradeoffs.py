"""Trade-offs of quality and cost: one plot per machine, means over tasks, the frontier with intervals, incomplete records."""

import pytest

from gluepot.efficiency.figures import Figures
from gluepot.efficiency.figures.tradeoffs import make_tradeoffs
from gluepot.efficiency.hardware import HardwareProfile
from gluepot.efficiency.run_records import MeasuredQuality
from gluepot.errors import WrongUse


def figures(model: str, task: str = "nli", machine: str = "small", **more: object) -> Figures:
    """Return figures of .8 ± .02 quality, 100 ± 5 items per second and 2 GiB, unless given otherwise."""
    score = more.pop("quality", 0.8)
    quality = None if score is None else MeasuredQuality("accuracy", score, score - 0.02, score + 0.02, 100, "test")  # type: ignore[arg-type,operator]
    speed = float(more.pop("throughput", 100.0))  # type: ignore[arg-type]
    memory = float(more.pop("memory", 2.0))  # type: ignore[arg-type]
    profile = HardwareProfile(name=machine, processor=machine, cores=2, memory_gib=8, system="Linux", versions={})
    ends = {"throughput_low": speed - 5, "throughput_high": speed + 5, "memory_low": memory, "memory_high": memory}
    return Figures(
        model=model, task=task, suite="s", split="test", throughput=speed, memory_gib=memory, quality=quality, profile=profile, **ends
    )


def test_a_point_is_beaten_only_if_the_intervals_separate() -> None:
    rows = [figures("best"), figures("close", quality=0.79), figures("far", quality=0.5), figures("small", quality=0.5, memory=1)]
    [plot] = make_tradeoffs(rows)
    assert {point.model: point.frontier for point in plot.points} == {"best": "on", "close": "open", "far": "open", "small": "on"}
    [plot] = make_tradeoffs([figures("best", throughput=120), *rows[1:]])
    assert {point.model: point.frontier for point in plot.points}["far"] == "beaten"


def test_machines_never_share_a_plot() -> None:
    plots = make_tradeoffs([figures("a"), figures("b", machine="large")])
    assert [(plot.profile, [point.model for point in plot.points]) for plot in plots] == [("small", ["a"]), ("large", ["b"])]


def test_means_are_over_the_tasks_common_to_all_or_the_chosen_ones() -> None:
    rows = [figures("a"), figures("a", "qa", quality=0.6, throughput=300), figures("b"), figures("b", "qa"), figures("a", "cola")]
    plots = make_tradeoffs(rows)
    assert [plot.tasks for plot in plots] == [["nli", "qa"], ["nli"], ["qa"], ["cola"]]
    first = next(point for point in plots[0].points if point.model == "a")
    assert (first.quality.value, first.throughput.value) == (pytest.approx(0.7), 200)
    assert first.throughput.low == pytest.approx(200 - 5 / 2**0.5)
    [chosen] = make_tradeoffs(rows, ["qa", "cola"])
    assert (chosen.tasks, [point.model for point in chosen.points], chosen.lacking) == (["qa", "cola"], ["a"], {"b": ["cola"]})
    with pytest.raises(WrongUse, match="Did you mean 'cola'"):
        make_tradeoffs(rows, ["cloa"])


def test_records_without_a_score_take_a_given_quality_or_are_reported() -> None:
    rows = [figures("a", quality=None), figures("b", quality=None)]
    [plot] = make_tradeoffs(rows, qualities={("a", "nli"): (0.7, None, None)})
    assert ([point.model for point in plot.points], plot.lacking) == (["a"], {"b": ["nli"]})
