"""Gender parity next to the ranking score: either one alone misleads."""

from dataclasses import dataclass
from gzip import decompress

import msgspec

from gluepot.board.models import Answers, Score, SuiteVersion
from gluepot.board.server import addresses
from gluepot.board.standings.score_matrix import stored_suite

PARITY = "gender-parity"


@dataclass(frozen=True)
class Fair:
    """Score and gender parity of a system on a task."""

    slug: str
    name: str
    address: str
    score: float | None
    score_low: float | None
    score_high: float | None
    parity: float
    parity_low: float | None
    parity_high: float | None
    groups: int | None
    constant: bool
    """Whether all its answers are identical, which is perfectly even-handed and worthless."""


@dataclass(frozen=True)
class Parities:
    """Parity scores on one task."""

    task: str
    title: str
    metric: str
    split: str
    rows: list[Fair]


def parities_of(version: SuiteVersion) -> list[Parities]:
    """Return every task with at least one parity score."""
    suite = stored_suite(version)
    found = []
    for task in suite.tasks.values():
        if PARITY in task.metrics and (rows := _rows(version, task.name, task.metrics[0], suite.score_split)):
            found.append(Parities(task.name, task.title, task.metrics[0], suite.score_split, rows))
    return found


def _rows(version: SuiteVersion, task: str, metric: str, split: str) -> list[Fair]:
    current = Score.objects.filter(entry__suite=version, task=task, split=split, slice="", current=True, value__isnull=False)
    chosen = current.filter(metric__in=(PARITY, metric), verified=True).defer("replicates").select_related("entry__system")
    by_system: dict[int, dict[str, Score]] = {}
    for row in chosen:
        by_system.setdefault(row.entry.system_id, {})[row.metric] = row
    made = [_fair(scores[PARITY], scores.get(metric)) for scores in by_system.values() if PARITY in scores]
    return sorted(made, key=lambda one: -(one.score if one.score is not None else -9.0))


def _fair(parity: Score, score: Score | None) -> Fair:
    system = parity.entry.system
    assert parity.value is not None
    return Fair(
        slug=system.slug,
        name=system.name,
        address=addresses.system(system.slug),
        score=score.value if score else None,
        score_low=score.low if score else None,
        score_high=score.high if score else None,
        parity=parity.value,
        parity_low=parity.low,
        parity_high=parity.high,
        groups=parity.n,
        constant=parity.value == 1 and _constant(parity),
    )


def _constant(parity: Score) -> bool:
    row = Answers.objects.filter(entry=parity.entry_id, task=parity.task, split=parity.split).order_by("seed").first()
    if row is None:
        return False
    with row.file.open("rb") as stream:
        lines = msgspec.json.Decoder(dict[str, object]).decode_lines(decompress(stream.read()))
    return len({str(line.get("prediction")) for line in lines}) == 1
