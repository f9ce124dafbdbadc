"""Finds systems of the board whose answers a submission repeats: everybody can download these."""

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
"""Files of answers that are read for one task of a submission, newest first, where nothing tells them apart before."""


class _Line(msgspec.Struct):
    id: str
    prediction: object


_LINES = msgspec.json.Decoder(_Line)


def published_copies(suite: Suite, paired: PairedAnswers, vector: Vector, least: float) -> Iterator[tuple[str, float]]:
    """Slugs of systems with at least this share of equal answers, and the share; what was submitted here is compared elsewhere."""
    submitted = Upload.objects.filter(system__isnull=False).values("system_id")
    stored = Answers.objects.filter(entry__suite__name=suite.name, task=paired.task.name, split=paired.split, current=True)
    rows = stored.exclude(entry__system__in=submitted).select_related("entry__system").order_by("-pk")
    merits, ids = np.frombuffer(answer_merits(paired), np.float32), [example.id for example in paired.examples]
    for row in [row for row in rows.iterator(chunk_size=100) if _may_repeat(row, merits, least)][:READ]:
        share = agreement(vector, _read_vector(row, ids))
        if share >= least:
            yield row.entry.system.slug, share


def _may_repeat(row: Answers, merits: np.ndarray[tuple[int], np.dtype[np.float32]], least: float) -> bool:
    """Whether answers are as often as good as these, which the same ones are; so nearly no file is read."""
    theirs = np.frombuffer(row.merits, np.float32)
    return not len(merits) or not len(theirs) or (len(theirs) == len(merits) and float((theirs == merits).mean()) >= least)


def _read_vector(row: Answers, ids: Sequence[str]) -> Vector:
    """The answers that a system's file has for these items; none where it is gone."""
    try:
        with row.file.open("rb") as packed:
            lines = [_LINES.decode(line) for line in gzip.decompress(packed.read()).splitlines()]
    except OSError:
        return np.empty(0, np.uint32)
    known = {line.id: number_of(line.prediction) for line in lines}
    return np.array([known.get(name, 0) for name in ids], np.uint32)
