"""Optional answers: how skipped items are scored, the coverage that a score needs to rank, and no gain from skipping."""

import json
from collections.abc import Sequence
from dataclasses import replace as but
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from gluepot.cli import main
from gluepot.data.examples import load_examples
from gluepot.metrics import METRICS
from gluepot.records import Example, Overall, Score, Source, Suite, Task
from gluepot.reporting import make_report
from gluepot.reporting.html.page import render_page
from gluepot.reporting.tables import markdown_tables
from gluepot.runs.scores.coverage import coverage_of, fill_skipped, least_answers, percent, ranking_value
from gluepot.runs.scores.scoring import ScoredAnswers, score_pair, score_pairs, score_task, suite_mean
from gluepot.runs.scores.sharing import SharedResamples
from gluepot.submissions.pairing import PairedAnswers
from gluepot.submissions.reading import Submission
from gluepot.tasks.declarations import load_suite

ABOUT: dict[str, Any] = dict.fromkeys(("title", "summary", "language", "license", "citation", "link"), "")


def task(name: str = "pairs", kind: str = "word-pair", metrics: Sequence[str] = ("spearman", "pearson"), **more: Any) -> Task:
    facts: dict[str, Any] = {"may_skip": True, "coverage": 0.88, "scale": (0, 10), "off_scale": True} | more
    return Task(kind=kind, domain=[], metrics=list(metrics), data=Source({}), fields={}, suite="made", name=name, **ABOUT, **facts)


def pair(gold: Sequence[Any], outputs: Sequence[Any], of: Task | None = None, tags: Sequence[tuple[str, ...]] = ()) -> PairedAnswers:
    inputs = {"options": ["a", "b", "c"]}
    examples = [Example(str(n), inputs, target, None, tags[n] if tags else ()) for n, target in enumerate(gold)]
    return PairedAnswers(of or task(), "all", "pairs.jsonl", examples, list(outputs), skipped=sum(one is None for one in outputs))


def scores(paired: PairedAnswers, resamples: int = 20) -> list[Score]:
    scored = ScoredAnswers()
    score_task(paired, scored, resamples)
    return scored.scores


RNG = np.random.default_rng(12)
GOLD = RNG.uniform(0, 10, 200).round(1)
ANSWERS = (GOLD + RNG.normal(0, 5, 200)).tolist()


def skipping(numbers: Any) -> list[float | None]:
    gone = {int(number) for number in numbers}
    return [None if number in gone else answer for number, answer in enumerate(ANSWERS)]


def test_three_perfect_answers_have_a_value_but_do_not_rank() -> None:
    outputs = [GOLD[n] if n in (3, 70, 150) else None for n in range(200)]
    spearman, pearson = scores(pair(GOLD, outputs))
    assert spearman.value == pytest.approx(1.0)
    assert (spearman.n, spearman.coverage, spearman.left_out) == (3, 0.015, 197)
    assert spearman.unranked == "3 of 200 items answered (1.5 %), and a score ranks from 88 % on"
    assert (spearman.primary, pearson.primary) == (False, False)
    assert spearman.all_items is UNSET
    assert ranking_value(spearman) is None


def test_value_covers_the_answered_items_and_ranking_value_covers_all() -> None:
    outputs = skipping(range(0, 200, 10))
    spearman, _ = scores(pair(GOLD, outputs))
    kept = [n for n in range(200) if n % 10]
    assert spearman.value == pytest.approx(METRICS["spearman"](GOLD[kept], [ANSWERS[n] for n in kept]))
    assert (spearman.n, spearman.coverage, spearman.left_out, spearman.primary) == (180, 0.9, 20, True)
    assert spearman.all_items is not UNSET
    assert spearman.all_items.value < spearman.value
    assert spearman.all_items.low < spearman.all_items.value < spearman.all_items.high


def test_full_coverage_has_a_single_value() -> None:
    for score in scores(pair(GOLD, ANSWERS)):
        assert (score.coverage, score.all_items, score.unranked, score.left_out) == (1.0, UNSET, UNSET, UNSET)
        assert ranking_value(score) == score.value


@settings(max_examples=60, deadline=None)
@given(st.sets(st.integers(0, 199), max_size=24))
def test_skipping_ranks_like_answering_with_the_median(gone: set[int]) -> None:
    """The ranking value is the score of a complete submission with the median of the given answers in place of the missing ones."""
    outputs = skipping(gone)
    given_answers = sorted(answer for answer in outputs if answer is not None)
    middle = given_answers[(len(given_answers) - 1) // 2]
    whole = [middle if answer is None else answer for answer in outputs]
    left_out, answered = scores(pair(GOLD, outputs), 2), scores(pair(GOLD, whole), 2)
    assert [ranking_value(score) for score in left_out] == [pytest.approx(score.value, abs=1e-12) for score in answered]


def test_skipping_uncertain_items_gains_nothing() -> None:
    """An attack that needs no gold answers: skipping the items in the middle of one's own ranking raises ρ over the answered items."""
    ranks = np.argsort(np.argsort(ANSWERS))
    unsure = np.argsort(np.abs(ranks - 99.5))[:24]
    (plain, _), (tricked, _) = scores(pair(GOLD, ANSWERS), 2), scores(pair(GOLD, skipping(unsure)), 2)
    assert tricked.coverage == 0.88
    assert tricked.value > plain.value + 0.01, "over the answered items alone it would have won"
    assert ranking_value(tricked) == pytest.approx(plain.value, abs=0.005)


@pytest.mark.parametrize(("answered", "ranked"), [(175, False), (176, True), (177, True), (200, True)])
def test_a_score_ranks_from_the_declared_coverage_on(answered: int, ranked: bool) -> None:
    spearman, _ = scores(pair(GOLD, skipping(range(answered, 200))), 2)
    assert (spearman.unranked is UNSET, spearman.primary) == (ranked, ranked)


def test_without_declared_coverage_only_complete_answers_rank() -> None:
    undeclared = task(coverage=1.0)
    assert scores(pair(GOLD, skipping([5]), undeclared), 2)[0].unranked
    assert not scores(pair(GOLD, ANSWERS, undeclared), 2)[0].unranked


@pytest.mark.parametrize(("share", "items", "least"), [(0.88, 1360, 1197), (0.9, 10, 9), (1.0, 7, 7), (1 / 3, 3, 1), (0.95, 20, 19)])
def test_required_number_of_answers_is_rounded_exactly(share: float, items: int, least: int) -> None:
    assert least_answers(task(coverage=share), items) == least


def test_skipped_labels_count_as_wrong() -> None:
    labels = task("stance", "classification", ["accuracy"], labels=["pro", "con"], scale=None, off_scale=False, coverage=0.5)
    (accuracy,) = scores(pair(["pro", "con", "pro", "con"], ["pro", None, "pro", "pro"], labels), 2)
    assert (accuracy.value, accuracy.n, accuracy.coverage) == (pytest.approx(2 / 3), 3, 0.75)
    assert accuracy.all_items is not UNSET
    assert accuracy.all_items.value == 0.5


def test_slices_report_their_coverage() -> None:
    tags = [("origin/a",)] * 100 + [("origin/b",)] * 90 + [("origin/c",)] * 10
    sliced = {str(score.slice): score for score in scores(pair(GOLD, skipping(range(150, 200)), tags=tags)) if score.slice}
    assert [(sliced[name].n, sliced[name].coverage) for name in sorted(sliced)] == [(100, 1.0), (50, pytest.approx(5 / 9)), (0, 0.0)]
    assert (sliced["origin/c"].value, sliced["origin/c"].reason) == (None, "none of its items was answered")


def suite() -> Suite:
    tasks = {name: task(name) for name in ("one", "two")}
    terms = Overall([["one"], ["two"]])
    return Suite(version="1", order=list(tasks), overall=terms, submission="jsonl", name="made", tasks=tasks, **ABOUT)


def mean_of(*outputs: Sequence[Any]) -> Any:
    of = suite()
    pairs = [but(pair(GOLD, answers, made), split="all") for answers, made in zip(outputs, of.tasks.values(), strict=False)]
    return suite_mean(of, "all", score_pairs(of, Submission("m", pairs=pairs), partial(score_pair, resamples=20)).scores)


def test_mean_uses_ranking_values_with_a_note() -> None:
    mean = mean_of(skipping(range(0, 200, 10)), ANSWERS)
    first, second = scores(pair(GOLD, skipping(range(0, 200, 10))))[0], scores(pair(GOLD, ANSWERS))[0]
    assert mean.value == pytest.approx((first.all_items.value + second.value) / 2)
    assert mean.note == "over all items, of which some were left out (answered: one 90 %)"
    assert mean_of(ANSWERS, ANSWERS).note is UNSET


def test_mean_reports_an_undefined_score_as_undefined_not_missing() -> None:
    mean = mean_of([5.0] * len(ANSWERS), ANSWERS)
    assert (mean.value, mean.reason) == (None, "incomplete: one: spearman is undefined: all predictions are the same")


def test_mean_over_too_few_answers_is_none_with_a_reason() -> None:
    mean = mean_of(skipping(range(3, 200)), ANSWERS)
    assert (mean.value, mean.reason) == (None, "incomplete: one: 3 of 200 items answered (1.5 %), and a score ranks from 88 % on")
    both = mean_of(skipping(range(3, 200)), skipping(range(3, 200)))
    assert both.value is None
    assert both.reason.startswith("incomplete: one, two: 3 of 200 items answered")
    assert mean_of(skipping(range(3, 200))).reason == (
        "incomplete: two missing; one: 3 of 200 items answered (1.5 %), and a score ranks from 88 % on"
    )


def test_ranking_value_is_bootstrapped_over_all_items_on_shared_resamples() -> None:
    outputs = skipping(range(0, 200, 10))
    drawn = []
    for answers in (outputs, fill_skipped(pair(GOLD, outputs)).outputs):
        scored = ScoredAnswers()
        score_task(pair(GOLD, answers), scored, shared=SharedResamples(50).of)
        drawn.append(scored.replicates["pairs", "all", "spearman"])
    np.testing.assert_array_equal(*drawn)


def test_coverage_is_unset_for_tasks_without_optional_answers() -> None:
    strict = task(may_skip=False, coverage=1.0)
    assert coverage_of(pair(GOLD, ANSWERS, strict)) is UNSET
    assert scores(pair(GOLD, ANSWERS, strict), 2)[0].coverage is UNSET


@given(st.integers(0, 5000), st.integers(1, 5000))
def test_percentages_are_never_rounded_up(part: int, whole: int) -> None:
    share = min(part, whole) / whole
    assert float(percent(share).removesuffix(" %")) <= 100 * share + 1e-9


def test_supersim_declares_the_coverage_of_its_paper() -> None:
    for declared in load_suite("supersim").tasks.values():
        assert least_answers(declared, 1360) == 1197, "the fewest pairs in Tables 3 and 4"
        assert "1,197 to 1,297" in declared.published_skips


def test_json_contains_coverage_and_the_value_over_all_items() -> None:
    import msgspec

    spearman, _ = scores(pair(GOLD, skipping(range(0, 200, 10))))
    document = json.loads(msgspec.json.encode(spearman))
    assert document["coverage"] == 0.9
    assert set(document["all_items"]) == {"value", "low", "high"}
    assert "unranked" not in document


def compared(tmp_path: Path, capsys: pytest.CaptureFixture[str], **outputs: Sequence[Any]) -> tuple[int, dict[str, Any], str]:
    """Run `gluepot compare` on SuperSim's similarity with the answers of each system; return the exit code, the JSON and the errors."""
    for name, answers in outputs.items():
        rows = [json.dumps({"id": str(number), "prediction": answer}) for number, answer in enumerate(answers)]
        (tmp_path / name).mkdir()
        (tmp_path / name / "similarity.jsonl").write_text("\n".join(rows))
    code = main(["compare", "--suite", "supersim", *(str(tmp_path / name) for name in outputs), "--resamples", "50", "--json"])
    said = capsys.readouterr()
    return code, json.loads(said.out or "{}"), said.err


def test_systems_are_compared_over_all_items_including_skipped_ones(
    real_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = np.array([example.target for example in load_examples(load_suite("supersim").tasks["similarity"], "all")])
    noisy = (gold + np.random.default_rng(1).normal(0, 4, len(gold))).tolist()
    some = [None if number % 12 == 0 else answer for number, answer in enumerate(noisy)]
    code, document, _ = compared(tmp_path, capsys, whole=noisy, some=some)
    (row,), (skips,) = document["comparisons"], document["skips"]
    assert (code, row["n"]) == (0, 1360)
    assert (skips["system"], skips["answered"], skips["items"], skips["counted_as"]) == (
        "some",
        1246,
        1360,
        "the median of the given answers",
    )
    assert row["value_b"] < row["value_a"]


def test_a_system_that_answered_too_few_items_is_not_compared(real_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, document, said = compared(tmp_path, capsys, whole=[1.0, *[2.0] * 1359], three=[3.0, 2.0, 1.0, *[None] * 1357])
    assert (code, document) == (1, {})
    assert "three answered 3 of 1,360 items of similarity all (0.2 %): too few to be compared." in said


def test_report_shows_coverage_and_ranking_values_for_enormous_answers(real_data: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    some = [None if number % 12 == 0 else value for number, value in enumerate([1e308, -1e308, *rng.normal(size=1358)])]
    three = [1.0, 2.0, 4.0, *[None] * 1357]
    for name, answers in (("some", some), ("three", three)):
        rows = [json.dumps({"id": str(number), "prediction": answer}) for number, answer in enumerate(answers)]
        (tmp_path / name).mkdir()
        (tmp_path / name / "similarity.jsonl").write_text("\n".join(rows))
    report = make_report([tmp_path / "some", tmp_path / "three"], load_suite("supersim"))
    row = next(row for row in report.sections[0].rows if row.metric == "spearman")
    part, few = row.cells
    assert part is not None
    assert few is not None
    assert (part.n, part.unranked) == (1246, None)
    assert part.note.startswith("91.6 % answered; ")
    assert part.ranking is not None
    assert part.ranking.value == part.all_items.value
    assert (few.n, few.note, few.ranking) == (3, "0.2 % answered, not ranked", None)
    assert "0.2 % answered, not ranked" in render_page(report)
    assert "0.2 % answered, not ranked" in markdown_tables(report)
