"""Private scoring by a worker: validates and scores a submission, and stores one revision per state of data and scorer."""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from django.db import transaction

from gluepot import __version__
from gluepot.board.importing.predictions import ImportContext, score_rows
from gluepot.board.importing.storage.entries import stored_version
from gluepot.board.models import Score, SuiteVersion
from gluepot.board.moderation.audit import record
from gluepot.board.standings.gaps import HIDDEN_DIGITS
from gluepot.board.submitting.hidden.feedback import HALF, apply_ladders, feedback_part, is_hidden, rounded_rows
from gluepot.board.submitting.hidden.labels import labelled
from gluepot.board.submitting.intake.quotas import return_slots
from gluepot.board.submitting.models import ScoreRevision, Upload
from gluepot.board.submitting.programs.running import ProgramFailedError, RunRefused, run_submitted
from gluepot.board.submitting.programs.settings import MOST as MOST_RUNS
from gluepot.board.submitting.programs.settings import awaits_run
from gluepot.board.submitting.scoring.provisional_ranks import Merits, document_of, place
from gluepot.board.submitting.scoring.suspicions import detect_suspicions
from gluepot.board.submitting.states import State, lock_upload, move
from gluepot.errors import GluepotError
from gluepot.records import Suite
from gluepot.runs.comparison.merits import item_merits
from gluepot.runs.scores.sharing import SharedResamples
from gluepot.submissions.reading import Submission, read_submission
from gluepot.tasks.declarations import load_suite

MOST = 10
"""Attempts at one submission after which it is given up, because it crashes its worker. Workers that crash repeatedly for other reasons
practically never hit the same submission this often."""
SCORER = f"gluepot {__version__}"
_shared: dict[str, SharedResamples] = {}


class LostSubmission(GluepotError):
    """Raised when a stored submission no longer fits the data."""


def score_upload(key: str) -> None:
    """Compute the private score of a submission, unless it is done; restarts what a dead worker began."""
    upload = _begin(key)
    if upload is None:
        return
    try:
        suite = load_suite(upload.suite)
        if awaits_run(key):
            run_submitted(upload, suite)
        with stored_file(upload) as path:
            submission = read_submission(suite, path)
        if submission.problems.count() or submission.unread:
            raise LostSubmission(_why_unsound(submission, suite, upload))
        write_revision(upload, suite, submission)
    except (LostSubmission, RunRefused) as error:
        fail_upload(key, str(error))
    except ProgramFailedError as error:
        fail_upload(key, str(error), ran=True)
    except Exception as error:
        if upload.attempts >= max_attempts(key):
            fail_upload(key, f"the board could not score it ({type(error).__name__}); its keepers were told.")
        raise


def _begin(key: str) -> Upload | None:
    """Start an attempt at a submission; None if it needs no scoring or has had too many attempts."""
    with transaction.atomic():
        upload = lock_upload(key)
        if upload.state not in (State.QUEUED, State.SCORING):
            return None
        upload.attempts += 1
        most = max_attempts(key)
        if upload.attempts <= most:
            if upload.state == State.QUEUED:
                move(upload, State.SCORING, "worker")
            else:
                upload.save(update_fields=["attempts"])
            return upload
    fail_upload(key, f"its scoring was begun {most} times and came to no end; the board's keepers were told.")
    return None


def max_attempts(key: str) -> int:
    """Return the maximum number of attempts: fewer for a program, which may take an hour each."""
    return MOST_RUNS if awaits_run(key) else MOST


def _why_unsound(submission: Submission, suite: Suite, upload: Upload) -> str:
    first = next(iter(submission.problems.listed()), None)
    told = str(first) if first else submission.unread[0][1]
    moved = f" It was sent for version {upload.version}." if suite.version != upload.version else ""
    return f"its answers do not fit {suite.name} {suite.version} any more: {told}{moved}"


def fail_upload(key: str, reason: str, *, ran: bool = False) -> None:
    """Mark a submission as failed and notify its team. Its slots are returned, unless its program `ran` and produced nothing to score."""
    from gluepot.board.submitting.mails import notify_team

    with transaction.atomic():
        upload = lock_upload(key)
        if upload.state not in (State.QUEUED, State.SCORING):
            return
        move(upload, State.FAILED, "worker", reason)
        if not ran:
            return_slots(upload)
        record("worker", "failed", str(upload.key), reason=reason)
        notify_team(upload, "ended" if ran else "failed")


@contextmanager
def stored_file(upload: Upload) -> Iterator[Path]:
    """Copy the stored predictions to a temporary local file."""
    with TemporaryDirectory(prefix="gluepot-scoring-") as folder:
        path = Path(folder) / f"{upload.name[:60].replace('/', '-') or 'submission'}.zip"
        with upload.file.storage.open(upload.file.name, "rb") as stored, path.open("wb") as copy:
            while piece := stored.read(2**20):
                copy.write(piece)
        yield path


def write_revision(upload: Upload, suite: Suite, submission: Submission) -> ScoreRevision:
    """Score and rank a submission and store the revision; if another worker has stored it already, return that one."""
    given = labelled(suite, submission)
    shown = feedback_part(suite, given)
    part = "h" if suite.submitting.feedback == HALF else ""  # the same column as the official half; in another one, it would have no rank
    bench = shown.context(suite, f"team:{upload.team_id}", part)
    data = data_state(submission, bench)
    bench.shared = _shared.setdefault(data, bench.shared)
    while len(_shared) > 4:
        _shared.pop(next(iter(_shared)))
    rows = rounded_rows(suite, score_rows(suite, {0: shown.submission}, bench)[0], given)
    version, merits = stored_version(suite), merits_of(submission, suite)
    with transaction.atomic():
        detect_suspicions(upload, suite, submission)
        fresh = lock_upload(upload.key)
        state = {"version": suite.version, "data": data, "scorer": SCORER}
        revision = fresh.revisions.filter(**state).first()
        if revision is None:
            apply_ladders(fresh.team_id, suite, rows, given, bench)
            document = private_document(fresh, suite, version, rows, merits)
            revision = ScoreRevision.objects.create(upload=fresh, document=document, **state)
        if fresh.state == State.SCORING:
            move(fresh, State.SCORED, "worker")
            return_slots(fresh, [row.task for row in rows if row.value is not None])
            record("worker", "scored", str(fresh.key), revision=revision.pk)
    return revision


def data_state(submission: Submission, bench: ImportContext) -> str:
    """Return a hash of all files that a submission is scored against."""
    prints = sorted(f"{paired.task.path}/{paired.split}/{bench.fingerprint(paired)}" for paired in submission.pairs)
    return sha256("\n".join(prints).encode()).hexdigest()[:32]


def merits_of(submission: Submission, suite: Suite) -> Merits:
    """Return the item merits by task, for tasks with public labels."""
    found = {}
    for paired in submission.pairs:
        if paired.split == suite.score_split and all(example.target is not None for example in paired.examples):
            found[paired.task.name] = np.asarray(item_merits(paired.task, paired.examples, paired.outputs), np.float32).astype(float)
    return found


def private_document(upload: Upload, suite: Suite, version: SuiteVersion, rows: list[Score], merits: Merits) -> dict[str, Any]:
    """Return the private score as a document, rounded if some labels are hidden."""
    hidden = any(is_hidden(suite, row.task, row.split) for row in rows if row.value is not None)
    return document_of(
        place(version, suite.score_split, upload.name, rows, merits, suite.submitting.feedback if hidden else ""),
        HIDDEN_DIGITS if hidden else None,
    )
