"""Coverage: how many answers were skipped, what those count as, and whether a score ranks.

A metric over the answered items alone can be gamed by answering the easy ones. A score therefore ranks by the metric over all items,
where each skipped answer is replaced by a trivial one: skipping is then never better than answering. Below the coverage that the
task declares, nothing ranks at all.
"""

from dataclasses import replace
from math import ceil

from msgspec import UNSET, Struct, UnsetType

from gluepot.plurals import pluralize
from gluepot.records import AllItems, Score, Task
from gluepot.submissions.pairing import PairedAnswers
from gluepot.tasks import KINDS


class Skips(Struct, frozen=True):
    """Items that a system skipped in a split."""

    system: str
    task: str
    split: str
    answered: int
    items: int
    coverage: float
    counted_as: str
    """Replacement for the skipped answers."""
    unranked: str | UnsetType = UNSET

    def __str__(self) -> str:
        count = f"{self.answered:,} of {pluralize(self.items, 'item')}"
        place = f"{self.system} answered {count} of {self.task} {self.split} ({percent(self.coverage)})"
        return f"{place}: {'too few to be compared' if self.unranked else f'the others count as {self.counted_as}'}."


def count_skips(system: str, paired: PairedAnswers) -> Skips | None:
    """Return the skips of a system; None if it answered every item or the task allows none."""
    given, items = answered(paired), len(paired.outputs)
    if not paired.task.may_skip or given == items or paired.chosen:
        return None
    counted_as = KINDS[paired.task.kind].answer.for_none
    return Skips(
        system, paired.task.name, paired.split, given, items, given / items, counted_as, unranked_reason(paired.task, given, items)
    )


def answered(paired: PairedAnswers) -> int:
    """Return the number of items with an answer."""
    return len(paired.outputs) - paired.outputs.count(None)


def coverage_of(paired: PairedAnswers) -> float | UnsetType:
    """Return the share of answered items; UNSET if the task does not allow skipping."""
    return answered(paired) / len(paired.outputs) if (paired.task.may_skip or paired.chosen) and paired.outputs else UNSET


def fill_skipped(paired: PairedAnswers) -> PairedAnswers:
    """Return the pair with an answer to every item: skipped ones get the default of their answer form."""
    if not paired.task.may_skip or paired.chosen or None not in paired.outputs:
        return paired
    form = KINDS[paired.task.kind].answer
    return replace(paired, outputs=form.fill(paired.task, paired.examples, paired.outputs))


def least_answers(task: Task, items: int) -> int:
    """Return how many of this many items must be answered for a score to rank."""
    return ceil(task.coverage * items - 1e-9)


def unranked_reason(task: Task, given: int, items: int) -> str | UnsetType:
    """Return why a score over this many of the items does not rank; UNSET if it does."""
    if not task.may_skip or given >= least_answers(task, items):
        return UNSET
    return (
        f"{given:,} of {pluralize(items, 'item')} answered ({percent(given / items)}), and a score ranks from {percent(task.coverage)} on"
    )


def percent(share: float) -> str:
    """Format a share, rounded down so that it never shows a value it does not reach.

    >>> percent(0.88), percent(1255 / 1360), percent(3 / 1360), percent(0.99999)
    ('88 %', '92.2 %', '0.2 %', '99.9 %')
    """
    tenths = int(share * 1000 + 1e-9)
    return f"{tenths // 10} %" if tenths % 10 == 0 else f"{tenths / 10:.1f} %"


def describe_skips(coverage: float | UnsetType, all_items: AllItems | UnsetType, unranked: str | UnsetType) -> str:
    """Describe the coverage of a value; empty if it ranks and is over all items.

    >>> describe_skips(0.93, AllItems(0.4521, None, None), UNSET), describe_skips(0.002, UNSET, "…"), describe_skips(1.0, UNSET, UNSET)
    ('93 % answered; 0.452 over all items, which ranks', '0.2 % answered, not ranked', '')
    """
    if coverage is UNSET or coverage == 1:
        return f"not ranked: {unranked}" if unranked else ""
    if unranked:
        return f"{percent(coverage)} answered, not ranked"
    whole = f"; {all_items.value:.3f} over all items, which ranks" if all_items else ""
    return f"{percent(coverage)} answered{whole}"


def ranking_value(score: Score) -> float | None:
    """Return the value that a score ranks by: over all items if some were skipped; None if it is unranked."""
    if score.unranked:
        return None
    return score.all_items.value if score.all_items else score.value
