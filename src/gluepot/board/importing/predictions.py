"""Scores of predictions as the board stores them: on resamples shared by all systems, with the answers and their merits."""

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET

from gluepot import records
from gluepot.board.importing.drafts import DraftAnswers
from gluepot.board.importing.storage.coverage import add_coverage, mean_of
from gluepot.board.importing.systems.owners import current_owner
from gluepot.board.models import Score
from gluepot.data.folders import find_files, fingerprint
from gluepot.records import Suite
from gluepot.runs.comparison.merits import item_merits
from gluepot.runs.scores.scoring import ScoredAnswers, score_pair, score_pairs
from gluepot.runs.scores.sharing import SharedResamples
from gluepot.runs.storage.store import plain
from gluepot.submissions.pairing import PairedAnswers
from gluepot.submissions.reading import Submission

Place = tuple[str, str, str, str]
"""Task, split, metric, slice."""
WORST = float(np.finfo(np.float32).min)
"""Lower bound of an answer's merit: the lowest finite float32."""


@dataclass
class ImportContext:
    """State shared by the entries of one import: drawn resamples, data fingerprints, the given name and the owner."""

    shared: SharedResamples = field(default_factory=SharedResamples)
    prints: dict[str, str] = field(default_factory=dict)
    name: str | None = None
    owner: str = field(default_factory=current_owner)
    skipped: dict[Path, str] = field(default_factory=dict)
    """Skipped files with the reason; an empty reason marks a file that its reader does not recognise."""

    def fingerprint(self, paired: PairedAnswers) -> str:
        place = f"{paired.task.path}/{paired.split}"
        if place not in self.prints:
            self.prints[place] = fingerprint(find_files(paired.task, paired.split)[1])
        return self.prints[place]


def ranking_metrics(suite: Suite) -> set[tuple[str, str]]:
    """Return the metrics whose bootstrap replicates are stored: each task's first, and those of the suite's mean."""
    first = {(task.name, task.metrics[0]) for task in suite.tasks.values()}
    terms = (entry.partition(":") for term in suite.overall.terms for entry in term)
    return first | {(task, metric) for task, _, metric in terms if metric}


def score_rows(suite: Suite, submissions: Mapping[int, Submission], bench: ImportContext) -> tuple[list[Score], list[records.Score]]:
    """Return the board's rows averaged over seeds, and the first seed's scores as `score` returns them."""
    seeds = [score_pairs(suite, submission, partial(score_pair, shared=bench.shared.of)) for submission in submissions.values()]
    data = {(p.task.name, p.split): bench.fingerprint(p) for submission in submissions.values() for p in submission.pairs}
    by_place = [{place_of(score): score for score in scored.scores} for scored in seeds]
    kept = ranking_metrics(suite)
    rows = []
    for place in dict.fromkeys(place for scores in by_place for place in scores):
        same = [scores.get(place) for scores in by_place]
        row = _averaged(place, [score for score in same if score is not None], whole=None not in same)
        row.data = data.get(place[:2], "")
        if row.value is not None and row.ranked and not place[3]:
            _add_replicates(row, place, seeds, keep=(place[0], place[2]) in kept)
        rows.append(row)
    return rows, seeds[0].scores


def place_of(score: records.Score) -> Place:
    return score.task, score.split, score.metric, "" if score.slice is UNSET else score.slice


def _averaged(place: Place, scores: Sequence[records.Score], *, whole: bool) -> Score:
    task, split, metric, part = place
    row = Score(task=task, split=split, metric=metric, slice=part, n=scores[0].n, verified=False)
    values = [score.value for score in scores if score.value is not None]
    if not whole or len(values) < len(scores):
        told = [score.reason for score in scores if score.reason is not UNSET]
        row.reason = told[0] if told else "not every seed has this score"
        return row
    row.value, row.verified = float(np.mean(values)), True
    row.low, row.high = (mean_of([getattr(score, end) for score in scores]) for end in ("low", "high"))
    add_coverage(row, scores)
    return row


def _add_replicates(row: Score, place: Place, seeds: Sequence[ScoredAnswers], *, keep: bool) -> None:
    """Narrow the interval by as much as the mean over seeds varies less than one seed in the bootstrap; store replicates if `keep`."""
    each = np.array([scored.replicates[place[:3]] for scored in seeds])
    drawn = each.mean(axis=0)
    usual = float(np.nanstd(each, axis=1).mean())
    if len(seeds) > 1 and usual and row.value is not None and row.low is not None and row.high is not None:
        share = float(np.nanstd(drawn)) / usual
        row.low, row.high = row.value - share * (row.value - row.low), row.value + share * (row.high - row.value)
    if keep:
        row.replicates = drawn.astype(np.float32).tobytes()


def answer_files(
    submission: Submission, seed: int = 0, scores: Mapping[tuple[str, str], Sequence[Any]] | None = None
) -> list[DraftAnswers]:
    """Return the sound answers of a submission, one file per split; `scores` are the models' own, by task and split."""
    return [_file(paired, seed, (scores or {}).get((paired.task.name, paired.split))) for paired in submission.pairs if paired.sound]


def _file(paired: PairedAnswers, seed: int, scores: Sequence[Any] | None) -> DraftAnswers:
    lines = answer_lines(paired, scores)
    return DraftAnswers(paired.task.name, paired.split, seed, gzip.compress(lines, mtime=0), answer_merits(paired))


def answer_merits(paired: PairedAnswers) -> bytes:
    """Return the merit of each answer as one float32 per item; empty where gold is hidden."""
    if any(example.target is None for example in paired.examples):
        return b""
    return np.maximum(item_merits(paired.task, paired.examples, paired.outputs), WORST).astype(np.float32).tobytes()


def answer_lines(paired: PairedAnswers, scores: Sequence[Any] | None = None) -> bytes:
    """Encode answers in the JSON Lines format that `score` reads."""
    rows: list[dict[str, Any]] = [
        {"id": example.id, "prediction": plain(output)} for example, output in zip(paired.examples, paired.outputs, strict=True)
    ]
    for row, score in zip(rows, scores or [], strict=False):
        if score is not None:
            row["scores"] = score
    return msgspec.json.Encoder().encode_lines(rows)
