"""Rescoring for new data or versions: old scores are preserved, changes are public, and affected teams get an email."""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from django.core import mail
from tests.board.submitting.hiding import gold, write_answers, write_lines, write_suite

SHEET = {"name": "coins", "state": "approved", "trained": {}}


@pytest.fixture
def suite_folder(open_board: Path, tmp_path: Path) -> Iterator[Path]:
    """Yield the folder of a suite with public labels that the test may change."""
    from gluepot.tasks.search_path import own_search_path

    folder = write_suite(tmp_path, "ladder")
    task = folder / "coins" / "task.toml"
    task.write_text(task.read_text().replace('unlabelled = ["test"]', ""))
    (tmp_path / "answers" / "coins" / "test.jsonl").replace(folder / "data" / "coins" / "test.jsonl")
    with own_search_path([folder]):
        yield folder


@pytest.fixture
def published(suite_folder: Path, member: Callable[..., Any], work: Callable[[], None], tmp_path: Path) -> Any:
    """Return a published submission with about 90 % correct predictions."""
    from gluepot.board.submitting.intake.acceptance import Sender, accept, check
    from gluepot.board.submitting.models import FactSheet, Upload
    from gluepot.board.submitting.publication.publishing import publish_sheet
    from gluepot.tasks.declarations import load_suite

    ann, rng, suite = member(), Random(3), load_suite("hidden")
    labels = [right if rng.random() < 0.8 else "heads" for right in gold()]
    checked = check(suite, write_answers(tmp_path / "coins.jsonl", labels), suite.tasks["coins"])
    upload = accept(checked, Sender(ann, ann.teams.get()), "coins", "coins.jsonl", "coins")
    work()
    Upload.objects.update(state="publishing")
    publish_sheet(FactSheet.objects.create(upload=upload, **SHEET).pk)
    work()
    mail.outbox.clear()
    return Upload.objects.get()


def turn_labels(folder: Path, count: int) -> None:
    """Flip the first `count` labels of the test split."""
    path = folder / "data" / "coins" / "test.jsonl"
    rows = [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]
    for row in rows[:count]:
        row["label"] = "tails" if row["label"] == "heads" else "heads"
    write_lines(path, rows)


def test_rescoring_preserves_old_scores_and_publishes_the_changes(
    published: Any, suite_folder: Path, client_of: Callable[[Any], Any], work: Callable[[], None]
) -> None:
    from gluepot.board.models import Entry, Score
    from gluepot.board.submitting.models import ScoreRevision
    from gluepot.board.submitting.scoring.rescoring import begin_rescoring
    from gluepot.tasks.declarations import load_suite

    old = Score.objects.get(metric="accuracy", current=True)
    turn_labels(suite_folder, 20)
    begin_rescoring(load_suite("hidden"), "Twenty labels were wrong.")
    work()
    new = Score.objects.get(metric="accuracy", current=True)
    assert old.value is not None
    assert new.value is not None
    assert new.value < old.value
    assert Score.objects.get(pk=old.pk).value == old.value, "never over the old one"
    assert Entry.objects.count() == ScoreRevision.objects.count() == 2
    client = client_of(None)
    (line,) = client.get("/b/hidden/changes.json").json()["rescorings"]
    assert (line["reason"], line["version"]) == ("Twenty labels were wrong.", "1")
    (value,) = line["values"]
    assert (value["system"], value["task"], value["old"], value["new"]) == ("coins", "coins", old.value, new.value)
    for prefix in ("", "/sv", "/ru", "/eu", "/da"):
        page = client.get(f"{prefix}/b/hidden/changes").content.decode()
        assert "Twenty labels were wrong." in page
    assert "/b/hidden/changes" in client.get("/b/hidden/1").content.decode(), "the board leads there"
    (letter,) = mail.outbox
    assert letter.subject == "“coins” was rescored"
    assert "Twenty labels were wrong." in letter.body
    own = client_of(published.team.members.get()).get(f"/submissions/{published.key}").content.decode()
    assert "Earlier scores" in own


def test_new_version_has_a_separate_board_and_the_old_one_is_unchanged(
    published: Any, suite_folder: Path, client_of: Callable[[Any], Any], work: Callable[[], None]
) -> None:
    from gluepot.board.submitting.scoring.rescoring import begin_rescoring
    from gluepot.tasks.declarations import load_suite

    client = client_of(None)
    before = client.get("/b/hidden/1.json").json()["rows"]
    turn_labels(suite_folder, 20)
    declared = suite_folder / "suite.toml"
    declared.write_text(declared.read_text().replace('version = "1"', 'version = "1.1"'))
    begin_rescoring(load_suite("hidden"), "Version 1.1.")
    work()
    assert client.get("/b/hidden/1.json").json()["rows"] == before
    (row,) = client.get("/b/hidden/1.1.json").json()["rows"]
    assert row["scores"]["coins"]["value"] < before[0]["scores"]["coins"]["value"]
    (line,) = client.get("/b/hidden/changes.json").json()["rescorings"]
    assert line["version"] == "1.1"
    assert line["values"][0]["old"] == before[0]["scores"]["coins"]["value"]


def test_team_is_notified_if_its_predictions_do_not_fit_a_new_version(published: Any, suite_folder: Path, work: Callable[[], None]) -> None:
    from gluepot.board.models import Score
    from gluepot.board.submitting.models import RescoredValue, Upload
    from gluepot.board.submitting.scoring.rescoring import begin_rescoring
    from gluepot.tasks.declarations import load_suite

    path = suite_folder / "data" / "coins" / "test.jsonl"
    path.write_bytes(path.read_bytes() + msgspec.json.encode({"id": "new", "text": "coin", "label": "heads"}) + b"\n")
    begin_rescoring(load_suite("hidden"), "One item more.")
    work()
    assert Upload.objects.get().state == "published"
    assert Score.objects.filter(current=True).exists()
    assert RescoredValue.objects.get().note.startswith("its answers do not fit")
    assert [letter.subject for letter in mail.outbox] == ["“coins” does not fit the new version"]


def test_rescoring_without_changes_is_recorded_and_sends_no_email(
    published: Any, client_of: Callable[[Any], Any], work: Callable[[], None]
) -> None:
    from gluepot.board.submitting.models import RescoredValue, ScoreRevision
    from gluepot.board.submitting.scoring.rescoring import begin_rescoring, rescore_upload
    from gluepot.tasks.declarations import load_suite

    begun, count = begin_rescoring(load_suite("hidden"), "For the record.")
    assert count == 1
    work()
    rescore_upload(begun.pk, str(published.key))
    assert not mail.outbox
    assert not RescoredValue.objects.exists()
    assert ScoreRevision.objects.count() == 1
    assert "No public number changed." in client_of(None).get("/b/hidden/changes").content.decode()


def test_small_changes_are_shown_with_more_decimals() -> None:
    from gluepot.board.submitting.views.changes import ChangedValue

    changes = [(0.629, 0.71), (0.62946, 0.62891), (0.5, 0.5 + 1e-12), (None, 0.5)]
    assert [ChangedValue("a", "t", "m", old, new, "").digits for old, new in changes] == [1, 2, 6, 1]
