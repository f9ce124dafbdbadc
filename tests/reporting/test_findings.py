"""Findings of a report: confusions, hard items, disagreements, calibration, diagnostic slices."""

import re
from collections import Counter
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import msgspec
import pytest
from tests.reporting.made import POCKET, cells, make_run

from gluepot.data.examples import load_examples
from gluepot.models import ModelName
from gluepot.records import Example, Prediction, Task
from gluepot.reporting import Report, make_report
from gluepot.reporting.calibration import calibration_error, make_bins
from gluepot.reporting.confusion import NONE, OTHER, TaskConfusion
from gluepot.runs.storage.store import RunFolder
from gluepot.tasks import KINDS


def test_confusion_counts_gold_against_predicted(report: Report, runs: list[Path], tree: ElementTree.Element) -> None:
    matrix = next(one for one in report.sections[0].confusions if (one.task, one.system) == ("stance-sv", 2))
    given = RunFolder(runs[2]).predictions("stance-sv", "test", 0).read()
    counted = Counter(
        (example.target, p.output) for example, p in zip(load_examples(POCKET.tasks["stance-sv"], "test"), given, strict=True)
    )
    assert matrix.rows == POCKET.tasks["stance-sv"].labels
    assert {(g, p): matrix.counts[i][j] for i, g in enumerate(matrix.rows) for j, p in enumerate(matrix.columns)} == {
        (g, p): counted[g, p] for g in matrix.rows for p in matrix.columns
    }
    first = [f"{count}{count / sum(matrix.counts[0]):.0%}" for count in matrix.counts[0]]
    assert ["positive", *first, str(sum(matrix.counts[0]))] in list(cells(tree))


def test_rare_labels_are_pooled_in_the_confusion_matrix(report: Report) -> None:
    from gluepot.metrics import INVALID
    from gluepot.reporting.confusion import _confusion
    from gluepot.submissions.pairing import PairedAnswers

    labels = [f"label-{n:02d}" for n in range(20)]
    task = msgspec.structs.replace(POCKET.tasks["stance-sv"], labels=labels)
    examples = [Example(str(n), {}, labels[min(n, 19)]) for n in range(40)]
    matrix: TaskConfusion = _confusion(0, PairedAnswers(task, "test", "", examples, [labels[19]] * 39 + [INVALID]))
    assert len(matrix.rows) == 16
    assert (matrix.rows[-1], matrix.columns[-2:]) == (OTHER, [OTHER, NONE])
    assert sum(map(sum, matrix.counts)) == 40


def test_hard_items_show_text_gold_and_answers(report: Report) -> None:
    found = next(one for one in report.sections[0].hardest if one.task == "stance-sv")
    assert re.fullmatch(r"\d+ of 40 items wrong for both systems", found.summary)
    assert 0 < len(found.items) <= 10
    for item in found.items:
        assert [given.right for given in item.given] == [False, False]
        assert [given.system for given in item.given] == [1, 2]
        assert item.texts
        assert item.gold in POCKET.tasks["stance-sv"].labels


def test_disagreements_are_items_answered_differently(report: Report) -> None:
    for found in report.sections[0].disagreements:
        assert len(found.items) <= 10
        assert all(len(text) <= 200 for item in found.items for text in item.texts)
        if KINDS[POCKET.tasks[found.task].kind].answer.form == "label":
            assert all(len({given.text for given in item.given}) == 2 for item in found.items)


def test_calibration_has_bins_and_error(report: Report, tree: ElementTree.Element) -> None:
    curve = next(one for one in report.sections[0].calibration if (one.task, one.system) == ("stance-sv", 2))
    (only,) = curve.bins
    accuracy = next(row for row in report.sections[0].rows if (row.task, row.metric) == ("stance-sv", "accuracy")).cells[2]
    assert accuracy is not None
    assert (only.n, round(only.confidence, 9)) == (40, 0.95)
    assert only.accuracy == accuracy.value
    assert curve.error == pytest.approx(abs(0.95 - only.accuracy))
    assert ["0.9 to 1.0", "40", "0.950", f"{only.accuracy:.3f}"] in list(cells(tree))


def test_every_confidence_falls_into_a_bin() -> None:
    import numpy as np

    bins = make_bins(np.array([0.0, 0.55, 0.59, 1.0]), np.array([0.0, 1.0, 0.0, 1.0]))
    assert [(b.low, b.n, b.accuracy) for b in bins] == [(0.0, 1, 0.0), (0.5, 2, 0.5), (0.9, 1, 1.0)]
    assert calibration_error(bins) == pytest.approx(2 * 0.07 / 4)


def test_scores_that_are_not_probabilities_have_no_calibration_diagram(tmp_path: Path) -> None:
    def logits(task: Task, example: Example, rng: Random) -> Prediction:
        return Prediction(example.id, task.labels[0], [3.0, -1.0, 0.2])

    report = make_report([make_run(tmp_path / "run", ModelName("tfidf-svm"), logits, tasks=["stance-sv"])])
    assert report.sections[0].calibration == []


def test_heat_map_has_coarse_before_fine(report: Report, tree: ElementTree.Element) -> None:
    heat = next(one for one in report.diagnostics if one.columns[0].task == "entailment-ru")
    assert {column.system for column in heat.columns} == {0, 1, 2, 3}
    assert [row.coarse for row in heat.rows if row.fine is None] == ["lexical-semantics", "logic"]
    assert heat.rows[0].fine is None
    shades = {cell.get("class") for cell in tree.iter("td") if (cell.get("class") or "").startswith("h")}
    assert len(shades) > 3
