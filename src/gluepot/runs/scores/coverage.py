"""What became of answers that were left out: how many there are, what the rest of them count for, and whether a score ranks.

A metric over the answered items alone can be won by answering the easy ones. So what ranks is the metric over all items, where one
that was left out counts as an answer that anybody could have given: leaving out is then never better than answering. Below the
coverage that the task declares nothing ranks at all.
"""

from dataclasses import replace
from math import ceil

from msgspec import UNSET, Struct, UnsetType

from gluepot.plurals import pluralize
from gluepot.records import AllItems, Score, Task
from gluepot.submissions.pairing import PairedAnswers
from gluepot.tasks import KINDS


class Skips(Struct, frozen=True):
    """What a system left out of a split."""

    system: str
    task: str
    split: str
    answered: int
    items: int
    coverage: float
    counted_as: str
    """What stands in place of the answers that were left out."""
    unranked: str | UnsetType = UNSET

    def __str__(self) -> str:
        count = f"{self.answered:,} of {pluralize(self.items, 'item')}"
        place = f"{self.system} answered {count} of {self.task} {self.split} ({percent(self.coverage)})"
        return f"{place}: {'too few to be compared' if self.unranked else f'the others count as {self.counted_as}'}."


def count_skips(system: str, paired: PairedAnswers) -> Skips | None:
    """What was left out; nothing where a system answered every item."""
    given, items = answered(paired), len(paired.outputs)
    if not paired.task.may_skip or given == items or paired.chosen:
        return None
    counted_as = KINDS[paired.task.kind].answer.for_none
    return Skips(system, paired.task.name, paired.split, given, items, given / items, counted_as, why_unranked(paired.task, given, items))


def answered(paired: PairedAnswers) -> int:
    """How many items have an answer."""
    return len(paired.outputs) - paired.outputs.count(None)


def coverage_of(paired: PairedAnswers) -> float | UnsetType:
    """The share of items that were answered, where the task lets answers out."""
    return answered(paired) / len(paired.outputs) if (paired.task.may_skip or paired.chosen) and paired.outputs else UNSET


def fill_skipped(paired: PairedAnswers) -> PairedAnswers:
    """The same with an answer to every item: those that were left out get what their form of answer gives for none."""
    if not paired.task.may_skip or paired.chosen or None not in paired.outputs:
        return paired
    form = KINDS[paired.task.kind].answer
    return replace(paired, outputs=form.fill(paired.task, paired.examples, paired.outputs))


def least_answers(task: Task, items: int) -> int:
    """How many of so many items must be answered for a score to rank."""
    return ceil(task.coverage * items - 1e-9)


def why_unranked(task: Task, given: int, items: int) -> str | UnsetType:
    """Why a score over so many of the items does not rank, if it does not."""
    if not task.may_skip or given >= least_answers(task, items):
        return UNSET
    return (
        f"{given:,} of {pluralize(items, 'item')} answered ({percent(given / items)}), and a score ranks from {percent(task.coverage)} on"
    )


def percent(share: float) -> str:
    """A share as people read it; never a round one that it does not reach.

    >>> percent(0.88), percent(1255 / 1360), percent(3 / 1360), percent(0.99999)
    ('88 %', '92.2 %', '0.2 %', '99.9 %')
    """
    tenths = int(share * 1000 + 1e-9)
    return f"{tenths // 10} %" if tenths % 10 == 0 else f"{tenths / 10:.1f} %"


def skips_in_words(coverage: float | UnsetType, all_items: AllItems | UnsetType, unranked: str | UnsetType) -> str:
    """What stands beside a value that is over some of the items; nothing where it is over all of them.

    >>> skips_in_words(0.93, AllItems(0.4521, None, None), UNSET), skips_in_words(0.002, UNSET, "…"), skips_in_words(1.0, UNSET, UNSET)
    ('93 % answered; 0.452 over all items, which ranks', '0.2 % answered, not ranked', '')
    """
    if coverage is UNSET or coverage == 1:
        return f"not ranked: {unranked}" if unranked else ""
    if unranked:
        return f"{percent(coverage)} answered, not ranked"
    whole = f"; {all_items.value:.3f} over all items, which ranks" if all_items else ""
    return f"{percent(coverage)} answered{whole}"


def ranking_value(score: Score) -> float | None:
    """What a score ranks by: over all items where some were left out; nothing if too few were answered."""
    if score.unranked:
        return None
    return score.all_items.value if score.all_items else score.value
