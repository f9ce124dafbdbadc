"""Detection of submissions that copy the answers of published systems, which anybody can download."""

import gzip
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from gluepot.board.importing.predictions import answer_merits
from gluepot.board.models import Answers
from gluepot.board.submitting.models import Upload
from gluepot.board.submitting.scoring.answer_vectors import Vector, agreement, number_of
from gluepot.records import Suite
from gluepot.submissions.pairing import PairedAnswers

READ = 500
"""Maximum number of answer files read per task of a submission, newest first, of those that pass the comparison of merits."""


class _Line(msgspec.Struct):
    id: str
    prediction: object


_LINES = msgspec.json.Decoder(_Line)


def published_copies(suite: Suite, paired: PairedAnswers, vector: Vector, least: float) -> Iterator[tuple[str, float]]:
    """Yield slug and share of systems with at least this share of equal answers; systems submitted here are compared elsewhere."""
    submitted = Upload.objects.filter(system__isnull=False).values("system_id")
    stored = Answers.objects.filter(entry__suite__name=suite.name, task=paired.task.name, split=paired.split, current=True)
    rows = stored.exclude(entry__system__in=submitted).select_related("entry__system").order_by("-pk")
    merits, ids = np.frombuffer(answer_merits(paired), np.float32), [example.id for example in paired.examples]
    for row in [row for row in rows.iterator(chunk_size=100) if _may_repeat(row, merits, least)][:READ]:
        share = agreement(vector, _read_vector(row, ids))
        if share >= least:
            yield row.entry.system.slug, share


def _may_repeat(row: Answers, merits: np.ndarray[tuple[int], np.dtype[np.float32]], least: float) -> bool:
    """Return whether item merits agree often enough, as those of copies do; a filter that avoids reading nearly all files."""
    theirs = np.frombuffer(row.merits, np.float32)
    return not len(merits) or not len(theirs) or (len(theirs) == len(merits) and float((theirs == merits).mean()) >= least)


def _read_vector(row: Answers, ids: Sequence[str]) -> Vector:
    """Return the hashes of a system's answers to these items; empty if its file is missing."""
    try:
        with row.file.open("rb") as packed:
            lines = [_LINES.decode(line) for line in gzip.decompress(packed.read()).splitlines()]
    except OSError:
        return np.empty(0, np.uint32)
    known = {line.id: number_of(line.prediction) for line in lines}
    return np.array([known.get(name, 0) for name in ids], np.uint32)
