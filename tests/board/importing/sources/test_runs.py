"""Import of runs: verified scores with replicates, averaged over seeds; partial runs are refused."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from tests.runs import tampering

from gluepot.data.examples import load_examples
from gluepot.tasks.declarations import load_suite

POCKET = load_suite("pocket")


def bring(*paths: Path, suite: str | None = None):
    from gluepot.board.importing import import_paths

    return import_paths(paths, suite)


def current(system: str, task: str, metric: str | None = None):
    from gluepot.board.models import Score

    return Score.objects.get(entry__system__name=system, task=task, metric=metric or POCKET.tasks[task].metrics[0], slice="", current=True)


def replicates(score) -> np.ndarray:
    return np.frombuffer(score.replicates, np.float32)


def test_import_scores_a_run_with_interval_and_replicates(board, make_run):
    report = bring(make_run())
    [line] = report.lines
    assert (line.kind, line.system, line.suite, line.state) == ("run", "tfidf-svm", "pocket 1", "imported")
    assert (line.reported, report.problems) == (0, [])
    score = current("tfidf-svm", "stance-sv")
    assert score.verified
    assert len(score.data) == 16
    assert score.low < score.value < score.high
    values = replicates(score)
    assert len(values) == 1000
    assert np.nanmean(values) == pytest.approx(score.value, abs=0.03)


def test_interval_equals_that_of_the_score_command(board, make_run):
    from gluepot.runs.evaluation import score_run
    from gluepot.runs.storage.store import RunFolder

    folder = make_run()
    bring(folder)
    for row in [row for row in score_run(RunFolder(folder)).scores if not row.slice]:
        shown = current("tfidf-svm", row.task, row.metric)
        assert (shown.low, shown.high) == (row.low, row.high)


def test_the_mean_of_several_seeds_has_a_narrower_interval_than_one_of_them(board, make_run):
    bring(make_run("many", seeds=(1, 2, 3, 4)), make_run("one", seeds=(1,)))
    many, one = current("many", "stance-sv"), current("one", "stance-sv")
    assert 0 < many.high - many.low < one.high - one.low


def test_scores_equal_those_of_the_score_command(board, make_run):
    from gluepot.runs.evaluation import score_run
    from gluepot.runs.storage.store import RunFolder

    folder = make_run(seeds=(1, 2, 3))
    bring(folder)
    for row in [row for row in score_run(RunFolder(folder), resamples=2).scores if not row.slice]:
        assert current("tfidf-svm", row.task, row.metric).value == pytest.approx(row.value)


def test_seeds_are_averaged_resample_by_resample(board, make_run):
    bring(make_run("a", seeds=(1, 2)), make_run("b", seeds=(1,)), make_run("c", seeds=(2,)))
    both, one, two = (current(name, "stance-sv") for name in "abc")
    assert both.value == pytest.approx((one.value + two.value) / 2)
    np.testing.assert_allclose(replicates(both), (replicates(one) + replicates(two)) / 2, rtol=1e-5)


def test_systems_imported_separately_share_resamples(board, make_run):
    first, second = make_run("a", wrong=0.2), make_run("b", wrong=0.5)
    bring(first, second)
    together = [replicates(current(name, "paraphrase-sv")).copy() for name in "ab"]
    from gluepot.board.models import System

    System.objects.all().delete()
    bring(second)
    bring(first)
    for name, values in zip("ab", together, strict=True):
        np.testing.assert_array_equal(replicates(current(name, "paraphrase-sv")), values)


def test_only_metrics_that_rank_or_count_keep_their_replicates(board, make_run):
    from gluepot.board.models import Score

    bring(make_run())
    kept = set(Score.objects.filter(replicates__isnull=False).values_list("task", "metric"))
    assert kept == {(name, POCKET.tasks[name].metrics[0]) for name in ("stance-sv", "paraphrase-sv", "entailment-ru")}
    assert Score.objects.filter(replicates__isnull=True, low__isnull=False).exists(), "others have their interval all the same"


def test_answers_can_be_downloaded_and_carry_their_merits(board, make_run):
    from gluepot.board.models import Answers

    bring(make_run(seeds=(1, 2)))
    row = Answers.objects.get(task="stance-sv", seed=1)
    assert row.file.name.startswith("answers/pocket/tfidf-svm/")
    with row.file.open() as stream:
        packed = stream.read()
    assert packed[4:8] == b"\0\0\0\0", "no time in the archive: the same answers are the same bytes"
    lines = [json.loads(line) for line in gzip.decompress(packed).splitlines()]
    examples = load_examples(POCKET.tasks["stance-sv"], "test")
    assert [line["id"] for line in lines] == [example.id for example in examples]
    merits = np.frombuffer(row.merits, np.float32)
    assert merits.tolist() == [float(line["prediction"] == example.target) for line, example in zip(lines, examples, strict=True)]
    assert merits.mean() == pytest.approx(current("tfidf-svm", "stance-sv", "accuracy").value, abs=0.2)


def test_a_partial_run_is_refused(board, make_run):
    from gluepot.board.models import Entry

    report = bring(make_run(limit=3), make_run("other"))
    assert [problem.code for problem in report.problems] == ["refused-run"]
    assert "at most 3 items" in report.problems[0].message
    assert [entry.system.name for entry in Entry.objects.all()] == ["other"]


def test_a_run_of_another_version_of_the_suite_is_refused(board, make_run):
    report = bring(make_run(version="0"))
    assert "made on pocket 0; declared here is 1" in report.problems[0].message
    assert report.lines == []


def test_a_task_with_broken_predictions_is_named_and_the_others_are_imported(board, make_run):
    folder = make_run()
    path = folder / "predictions/seed-1/stance-sv/test.jsonl"
    path.write_bytes(b"\n".join(path.read_bytes().splitlines()[:-1]) + b"\n")
    report = bring(folder)
    assert [problem.code for problem in report.problems] == ["missing-id"]
    score = current("tfidf-svm", "stance-sv")
    assert (score.value, score.verified, score.reason) == (None, False, "the file has problems")
    assert current("tfidf-svm", "entailment-ru").verified


@pytest.mark.parametrize("harm", ["manifest", "predictions", "empty"])
def test_broken_run_is_reported_and_not_imported(board, make_run, harm):
    folder = make_run()
    if harm == "manifest":
        (folder / "manifest.json").write_text("{")
    else:
        for path in folder.rglob("test.jsonl"):
            path.write_text("{broken\n" if harm == "predictions" else "")
    report = bring(folder, make_run("other"))
    assert report.problems
    assert [line.system for line in report.lines] == ["other"]


def test_same_run_in_another_folder_is_already_there(board, make_run):
    from gluepot.board.models import Entry

    bring(make_run())
    assert [line.state for line in bring(make_run()).lines] == ["already there"]
    assert Entry.objects.count() == 1


def test_newer_run_replaces_the_older_one_with_replace(board, make_run):
    from gluepot.board.models import Answers, Score

    bring(make_run(wrong=0.6))
    old = current("tfidf-svm", "stance-sv")
    from gluepot.board.importing import import_paths

    import_paths([make_run(wrong=0.1)], replace=True)
    new = current("tfidf-svm", "stance-sv")
    assert new.entry.imported > old.entry.imported
    assert new.value > old.value
    assert Score.objects.get(pk=old.pk).current is False
    assert Answers.objects.filter(task="stance-sv", current=True).get().entry == new.entry


def test_trivial_models_get_the_trivial_role(board, make_run):
    from gluepot.board.models import System

    bring(make_run("majority"), make_run("encoder:./models/my-bert"))
    assert System.objects.get(name="majority").role == "trivial"
    assert System.objects.get(name="my-bert").role == "system"


def test_changes_since_scoring_are_reported_and_scores_come_from_the_predictions(board, tmp_path):
    assert bring(tampering.make(tmp_path / "untouched", "tfidf-tree")).notices == []
    run = tampering.make(tmp_path / "run")
    tampering.perfect(run)
    tampering.edit(run / "scores.json", tampering.set_scores(0.123))
    tampering.edit(run / "manifest.json", lambda manifest: manifest["identity"]["data"].update({"stance-sv/train": "0123456789abcdef"}))
    report = bring(run)
    assert any("the predictions of stance-sv (seed 0) are not those" in notice for notice in report.notices)
    assert any("the data of stance-sv/train has changed since the run" in notice for notice in report.notices)
    assert current("tfidf-svm", "stance-sv").value == 1


def test_limited_run_is_refused_even_if_its_manifest_denies_it(board, tmp_path):
    run = tampering.make(tmp_path / "run", limit=10)
    tampering.edit(run / "manifest.json", lambda manifest: manifest.update(partial=False))
    assert [problem.code for problem in bring(run).problems] == ["refused-run"]


@pytest.mark.parametrize("line", tampering.BROKEN.values(), ids=tampering.BROKEN)
def test_broken_line_is_reported_with_its_location_and_other_tasks_are_imported(board, tmp_path, line):
    run = tampering.make(tmp_path / "run")
    path = tampering.predictions(run)
    path.write_bytes(path.read_bytes() + line)
    report = bring(run)
    assert [(problem.file, problem.line) for problem in report.problems] == [("run/seed-0/stance-sv/test.jsonl", 41)]
    assert current("tfidf-svm", "stance-sv").value is None
    assert current("tfidf-svm", "entailment-ru").verified


def test_model_scores_follow_their_items_in_any_stored_order(board, tmp_path):
    from gluepot.board.models import Answers

    run = tampering.make(tmp_path / "run")
    stored = {row["id"]: row["scores"] for row in tampering.rows(run)}
    tampering.write_rows(run, tampering.rows(run)[::-1])
    bring(run)
    with Answers.objects.get(task="stance-sv").file.open() as stream:
        kept = {row["id"]: row["scores"] for row in map(json.loads, gzip.decompress(stream.read()).splitlines())}
    assert kept == stored
    assert len({tuple(scores) for scores in stored.values()}) > 1
