"""An import changes a shown number only with `replace`, and always reports the change."""

import pytest
from msgspec import structs
from tests.board.importing.storage.test_entries import draft


@pytest.fixture
def bring(board):
    from gluepot.board.importing import import_paths

    def bring(*paths, **wishes):
        return import_paths(paths, **wishes)

    return bring


def everything():
    """Return every row of the result tables."""
    from gluepot.board.models import Answers, Entry, Revision, Score, System

    return [list(table.objects.order_by("pk").values()) for table in (System, Entry, Score, Answers, Revision)]


def put(**kwargs):
    from gluepot.board.importing.storage.entries import store

    replace = kwargs.pop("replace", False)
    return store(draft(**kwargs), 0.0, "some/file", replace=replace)


def test_import_that_would_change_a_number_reports_it_and_changes_nothing(bring, make_run):
    first, second = make_run(wrong=0.6), make_run(wrong=0.1)
    bring(first)
    before = everything()
    report = bring(second)
    assert report.lines == []
    [problem] = report.problems
    assert problem.code == "changed-score"
    assert problem.file == str(second)
    assert problem.message.startswith("tfidf-svm: not imported, because it would change ")
    assert "--replace" in problem.hint
    change = next(one for one in report.changes if (one.task, one.metric) == ("stance-sv", "accuracy"))
    assert (change.system, change.suite, change.split, change.source, change.replaced) == (
        "tfidf-svm",
        "pocket 1",
        "test",
        str(second),
        False,
    )
    assert (change.old_source, change.old < change.new) == (first.name, True)
    assert everything() == before


def test_replace_changes_and_reports_the_same_numbers(bring, make_run):
    first, second = make_run(wrong=0.6), make_run(wrong=0.1)
    bring(first)
    wanted = [(one.task, one.metric, one.slice, one.new) for one in bring(second).changes]
    report = bring(second, replace=True)
    assert report.problems == []
    assert report.lines[0].replaced == len(wanted) > 3
    assert [(one.task, one.metric, one.slice, one.new) for one in report.changes] == wanted
    assert all(one.replaced for one in report.changes)


def test_repeated_import_changes_and_reports_nothing(bring, make_run):
    folder = make_run()
    bring(folder)
    before = everything()
    report = bring(folder)
    assert [line.state for line in report.lines] == ["already there"]
    assert (report.problems, report.changes) == ([], [])
    assert everything() == before


def test_of_two_runs_in_one_import_the_second_does_not_change_the_first(bring, make_run):
    first, second, other = make_run(wrong=0.6), make_run(wrong=0.1), make_run("other")
    report = bring(first, second, other)
    assert [(line.system, line.source) for line in report.lines] == [("tfidf-svm", first.name), ("other", other.name)]
    assert [problem.code for problem in report.problems] == ["changed-score"]


def test_new_tasks_and_first_values_are_not_changes(board):
    put(digest="1", value=None, verified=True)
    assert put(digest="2", value=0.5)[1] == []
    assert put(digest="3", value=0.9, task="entailment-ru")[1] == []


def test_computed_score_may_differ_from_the_reported_one_in_the_last_digit(board):
    from gluepot.board.importing.storage.entries import OverwriteError

    put(digest="1", value=0.231, verified=False)
    assert put(digest="2", value=0.23161167)[1] == [], "printed tables round, and some cut off"
    with pytest.raises(OverwriteError):
        put(digest="3", value=0.2326)
    put(system="b", digest="1", value=0.231, verified=False)
    with pytest.raises(OverwriteError):
        put(system="b", digest="2", value=0.2331)
    with pytest.raises(OverwriteError):
        put(system="b", digest="3", value=0.2312, verified=False)


def test_changed_interval_is_a_change(board):
    """Equal means with less spread between repetitions must not narrow the interval unreported."""
    from gluepot.board.importing.storage.entries import OverwriteError, store

    def stated(digest: str, low: float | None, high: float | None):
        made = draft(digest=digest, verified=False)
        made.scores[0].metric, made.scores[0].low, made.scores[0].high = "macro-f1", low, high
        return made

    store(stated("1", None, None), 0.0)
    assert store(stated("2", 0.2, 0.8), 0.0)[1] == [], "there was none"
    with pytest.raises(OverwriteError) as raised:
        store(stated("3", 0.4, 0.6), 0.0)
    [change] = raised.value.changes
    assert str(change) == "stance-sv test macro-f1: 0.500 in 0.2000–0.8000 (a test) → 0.500 in 0.4000–0.6000"
    assert store(stated("3", 0.4, 0.6), 0.0, replace=True)[1] == [change.__class__(**{**structs.asdict(change), "replaced": True})]


def test_reported_score_never_changes_a_computed_one(board):
    put(digest="1", value=0.4)
    assert put(digest="2", value=0.9, verified=False)[1] == []


def test_changed_measurement_is_a_change(board):
    from gluepot.board.importing.storage.entries import OverwriteError, store
    from gluepot.board.models import Measurement

    def timed(digest: str, value: float):
        made = draft(digest=digest, kind="timing")
        made.scores, made.measurements = [], [Measurement(task="stance-sv", quantity="throughput", value=value, profile="a machine")]
        return made

    store(timed("1", 20.0), 0.0)
    with pytest.raises(OverwriteError) as raised:
        store(timed("2", 30.0), 0.0)
    [change] = raised.value.changes
    assert str(change) == "stance-sv throughput [a machine]: 20.000 (a test) → 30.000"


def test_a_refused_import_leaves_no_file_behind(bring, make_run, board):
    bring(make_run(wrong=0.6))
    before = sorted(path for path in (board / "files").rglob("*") if path.is_file())
    bring(make_run(wrong=0.1))
    assert sorted(path for path in (board / "files").rglob("*") if path.is_file()) == before
