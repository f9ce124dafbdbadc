"""Hidden labels: access rights, information in private scores, and resistance to a random-guess attack."""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import psycopg
import pytest
from tests.board.submitting.hiding import ITEMS, gold, write_answers, write_suite

SUBMISSIONS = 300
COINS = ("heads", "tails")


@pytest.fixture(params=["ladder", "half"])
def hidden(request: pytest.FixtureRequest, open_board: Path, tmp_path: Path) -> Iterator[Any]:
    """Yield the suite with its labels stored on the board."""
    from gluepot.board.submitting.hidden.labels import store_labels
    from gluepot.tasks.declarations import load_suite
    from gluepot.tasks.search_path import own_search_path

    with own_search_path([write_suite(tmp_path, request.param)]):
        suite = load_suite("hidden")
        store_labels(suite, tmp_path / "answers")
        yield suite


class Oracle:
    """Scorer of a team's submissions as in a worker, without pages and queue."""

    def __init__(self, suite: Any, team: int) -> None:
        from gluepot.board.submitting.hidden.labels import labelled
        from gluepot.data.examples import load_examples
        from gluepot.submissions.pairing import PairedAnswers
        from gluepot.submissions.reading import Submission

        self.suite, self.team = suite, team
        self.task = suite.tasks["coins"]
        examples = load_examples(self.task, "test")
        blank = Submission("blank", [PairedAnswers(self.task, "test", "coins.jsonl", examples, ["heads"] * ITEMS)])
        self.known = labelled(suite, blank)

    def given(self, labels: list[str]) -> Any:
        from dataclasses import replace

        paired = replace(self.known.submission.pairs[0], outputs=labels)
        return replace(self.known, submission=replace(self.known.submission, pairs=[paired]))

    def private(self, labels: list[str]) -> tuple[float, bool]:
        """Return the accuracy shown to the team and whether it is new."""
        from gluepot.board.importing.predictions import score_rows
        from gluepot.board.submitting.hidden.feedback import apply_ladders, feedback_part
        from gluepot.board.submitting.hidden.ladder import REPEATED

        shown = feedback_part(self.suite, self.given(labels))
        bench = self.bench = getattr(self, "bench", None) or shown.context(self.suite, "team:1", "a")
        rows, _ = score_rows(self.suite, {0: shown.submission}, bench)
        apply_ladders(self.team, self.suite, rows, shown, bench)
        (row,) = [row for row in rows if row.metric == "accuracy"]
        return float(row.value or 0), row.reason != REPEATED

    def published(self, labels: list[str]) -> float:
        from gluepot.board.submitting.hidden.feedback import official_rows

        rows = official_rows(self.suite, self.given(labels), "team:1")
        return float(next(row.value for row in rows if row.metric == "accuracy"))


def attack(ask: Callable[[list[str]], tuple[float, bool]], rng: Random) -> list[str]:
    """Combine random guesses, weighted by the distance of their score from chance: the boosting attack of Blum and Hardt."""
    votes = np.zeros(ITEMS)
    for _ in range(SUBMISSIONS):
        flips = [rng.choice(COINS) for _ in range(ITEMS)]
        value, new = ask(flips)
        if new:
            votes += (value - 0.5) * np.array([1 if flip == "heads" else -1 for flip in flips])
    return ["heads" if vote > 0 else "tails" for vote in votes]


def accuracy(labels: list[str]) -> float:
    return float(np.mean([label == right for label, right in zip(labels, gold(), strict=True)]))


def test_boosting_attack_of_three_hundred_submissions_gains_nothing(hidden: Any, member: Callable[..., Any]) -> None:
    from django.db import transaction

    plain = attack(lambda flips: (accuracy(flips), True), Random(7))
    assert accuracy(plain) > 0.75, "without protection the attack works"
    oracle = Oracle(hidden, member().teams.get().pk)
    with transaction.atomic():
        final = attack(oracle.private, Random(7))
    if hidden.submitting.feedback == "ladder":
        assert accuracy(final) <= 0.62
        assert oracle.published(final) <= 0.62
    else:
        assert oracle.private(final)[0] > 0.75, "the half that is told gives way, and nobody sees a score of it"
        assert abs(oracle.published(final) - 0.5) < 0.114, "two spreads of chance on 77 items"


@pytest.mark.parametrize("hidden", ["ladder"], indirect=True)
def test_ladder_scores_improvements_and_repeats_otherwise(hidden: Any, member: Callable[..., Any]) -> None:
    from django.db import transaction

    oracle, right = Oracle(hidden, member().teams.get().pk), gold()
    other = {"heads": "tails", "tails": "heads"}

    def with_wrong(count: int) -> list[str]:
        return [other[label] if number < count else label for number, label in enumerate(right)]

    with transaction.atomic():
        first, same = oracle.private(with_wrong(60)), oracle.private(with_wrong(59))
        worse, better = oracle.private(with_wrong(80)), oracle.private(with_wrong(20))
    assert first == (pytest.approx(94 / ITEMS), True)
    assert same == worse == (first[0], False)
    assert better == (pytest.approx(134 / ITEMS), True)


def test_site_role_cannot_read_hidden_labels_or_values_derived_from_them(hidden: Any, open_board: Path) -> None:
    from gluepot.board.server import database
    from gluepot.board.server.postgres.rights import grant_rights
    from gluepot.board.server.postgres.roles import READER, SITE, WORKER

    if database._server is None:
        pytest.skip("a database that is named has roles of its own")
    grant_rights()
    closed = {
        "submitting_hiddenlabels": ("answers", "salt"),
        "submitting_ladderstep": ("replicates", "value"),
        "submitting_answervector": ("answers",),
    }
    for role in (SITE, READER):
        with psycopg.connect(**database._server.address(role), autocommit=True) as connection:
            for table, columns in closed.items():
                for column in columns:
                    with pytest.raises(psycopg.errors.InsufficientPrivilege):
                        connection.execute(f"SELECT {column} FROM {table}")
                with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.ReadOnlySqlTransaction)):
                    connection.execute(f"UPDATE {table} SET id = id")
    with psycopg.connect(**database._server.address(SITE), autocommit=True) as connection:
        assert connection.execute("SELECT task FROM submitting_hiddenlabels").fetchall() == [("coins",)]
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("DELETE FROM submitting_hiddenlabels")
    with psycopg.connect(**database._server.address(WORKER), autocommit=True) as connection:
        assert connection.execute("SELECT count(answers) FROM submitting_hiddenlabels").fetchone() == (1,)


def test_submission_to_hidden_labels_is_scored_without_item_results(
    hidden: Any, member: Callable[..., Any], work: Callable[[], None], tmp_path: Path
) -> None:
    from gluepot.board.models import Answers, Score
    from gluepot.board.submitting.intake.acceptance import Sender, accept, check
    from gluepot.board.submitting.models import FactSheet, ScoreRevision, Upload
    from gluepot.board.submitting.publication.publishing import publish_sheet

    ann, rng = member(), Random(3)
    labels = [right if rng.random() < 0.8 else rng.choice(COINS) for right in gold()]
    checked = check(hidden, write_answers(tmp_path / "coins.jsonl", labels), hidden.tasks["coins"])
    assert checked.is_sound, checked.problems
    upload = accept(checked, Sender(ann, ann.teams.get()), "coins", "coins.jsonl", "coins")
    work()
    assert Upload.objects.get().state == "scored", Upload.objects.get().reason
    document = ScoreRevision.objects.get().document
    (told,) = document["tasks"]
    assert document["feedback"] == hidden.submitting.feedback
    assert told["n"] == (ITEMS if hidden.submitting.feedback == "ladder" else ITEMS // 2)
    assert all(round(told[end], 3) == told[end] for end in ("value", "low", "high"))
    assert "replicates" not in str(document)
    sheet = FactSheet.objects.create(upload=upload, name="coins", state="approved", trained={"coins": []})
    Upload.objects.update(state="publishing")
    publish_sheet(sheet.pk)
    assert bytes(Answers.objects.get().merits) == b"", "how good an answer is would tell the answer"
    row = Score.objects.get(metric="accuracy")
    assert row.value is not None
    assert row.low == round(row.low or 0, 3)
    if hidden.submitting.feedback == "half":
        whole = accuracy(labels)
        assert (row.value + told["value"]) / 2 == pytest.approx(whole, abs=0.001), "the two halves are the whole"


def test_mismatched_labels_are_refused_with_every_problem(hidden: Any, tmp_path: Path) -> None:
    from gluepot.board.submitting.hidden.labels import LabelError, store_labels

    path = tmp_path / "answers" / "coins" / "test.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[1], lines[0], lines[2].replace("heads", "edge").replace("tails", "edge"), *lines[3:-1]]) + "\n")
    with pytest.raises(LabelError) as told:
        store_labels(hidden, tmp_path / "answers")
    for part in ("153 rows for 154 items", "row 1 is 'c1' instead of 'c0'", "row 3", "Nothing was kept"):
        assert part in str(told.value)
    with pytest.raises(LabelError, match="no file with hidden answers"):
        store_labels(hidden, tmp_path)
