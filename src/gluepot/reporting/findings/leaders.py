"""Leaders of each task in a section, and systems that do not differ from them, by paired tests corrected for their number."""

from collections.abc import Sequence
from math import ceil

from msgspec import Struct

from gluepot.reporting.scores import ReportRow
from gluepot.reporting.systems import LoadedSystem
from gluepot.runs.comparison.judgement import CERTAIN, DifferenceTest
from gluepot.runs.comparison.matchup import Matchup
from gluepot.runs.scores.coverage import fill_skipped
from gluepot.statistics.bootstrap import RESAMPLES
from gluepot.statistics.paired import holm
from gluepot.submissions.pairing import PairedAnswers

MARGIN = 1.25
"""Factor on the resamples that the correction requires."""


class TaskLeader(Struct, frozen=True):
    """The best system on a task, and its comparison with the others on the items. Numbers are positions in the section."""

    task: str
    label: str
    """Name of the task in plain words."""
    best: int
    tied: list[int] = []
    """Systems that are not significantly worse."""
    behind: list[int] = []
    """Systems that are significantly worse."""

    def leads_significantly(self, one: int, other: int) -> bool:
        """Return whether `one` leads and `other` is significantly worse."""
        return self.best == one and other in self.behind


def find_leaders(
    split: str, members: Sequence[tuple[int, LoadedSystem]], rows: Sequence[ReportRow], labels: dict[str, str]
) -> list[TaskLeader]:
    """Return one entry per task on which a system ranks."""
    judged = {row.task: found for row in rows if row.task in labels and row.primary and (found := _compete(split, members, row))}
    asked = sum(len(found.others) for found in judged.values())
    most = max(RESAMPLES, ceil(MARGIN * 2 * asked / CERTAIN))
    tests = {(task, other): judgement for task, found in judged.items() for other, judgement in found.judge(most).items()}
    corrected = dict(zip(tests, holm([judgement.p for judgement in tests.values()]), strict=True))
    return [_leader(task, labels[task], found, corrected) for task, found in judged.items()]


class Competition:
    """Answers of all competing systems on a task, and the best of them."""

    def __init__(self, best: int, answers: dict[int, PairedAnswers | None]) -> None:
        self.best, self.answers = best, answers
        self.others = [number for number in answers if number != best]

    def judge(self, most: int) -> dict[int, DifferenceTest]:
        """Compare the best system with each other one whose answers are available."""
        here = {number: pair for number, pair in self.answers.items() if pair is not None}
        if self.best not in here or len(here) < 2:
            return {}
        order = list(here)
        judged = Matchup([[pair] for pair in here.values()]).judge(RESAMPLES, most, against=order.index(self.best))
        return {order[b] if order[a] == self.best else order[a]: found for (a, b), found in judged.items()}


def _compete(split: str, members: Sequence[tuple[int, LoadedSystem]], row: ReportRow) -> Competition | None:
    values, answers = {}, {}
    for place, ((_number, system), cell) in enumerate(zip(members, row.cells, strict=True)):
        ranking = cell.ranking if cell else None
        if ranking is None or ranking.value is None or system.card.partial or system.card.baseline:
            continue
        pair = system.pairs.get((row.task, split))
        open_pair = pair if pair is not None and pair.examples[0].target is not None else None
        values[place], answers[place] = ranking.value, fill_skipped(open_pair) if open_pair else None
    if not values:
        return None
    return Competition(max(values, key=lambda place: values[place]), answers)


def _leader(task: str, label: str, found: Competition, corrected: dict[tuple[str, int], float]) -> TaskLeader:
    behind = [other for other in found.others if corrected.get((task, other), 1.0) < CERTAIN]
    return TaskLeader(task, label, found.best, [other for other in found.others if other not in behind], behind)
