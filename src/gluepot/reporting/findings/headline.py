"""Headline of a report: its findings in a sentence or two, before any table."""

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from gluepot.plurals import pluralize
from gluepot.reporting.findings.leaders import TaskLeader
from gluepot.reporting.html.markup import score, span
from gluepot.reporting.scores import OVERALL, ReportCell, ReportRow

MOST = 4
"""Maximum number of tasks named in a sentence."""


class PublishedComparison(Struct, frozen=True):
    """A system on one task, compared with the values that were published for it."""

    task: str
    label: str
    value: float
    published: int
    below: int
    """Number of published values below its interval."""
    above: int
    """Number of published values above its interval."""

    @property
    def good(self) -> bool:
        return 2 * self.below > self.published

    @property
    def bad(self) -> bool:
        return 2 * self.above > self.published


def compare_with_published(rows: Sequence[ReportRow], position: int, labels: dict[str, str]) -> list[PublishedComparison]:
    """Compare one system with the published ones, task by task; values known to be wrong, and its own, do not count."""
    found = []
    for row in rows:
        cell = row.cells[position]
        ranking = cell.ranking if cell else None
        own = {cell.reported.model} if cell and cell.reported else set()
        values = {mark.model: mark.value for mark in row.reported if not mark.wrong and mark.model not in own}
        if not row.primary or row.task not in labels or ranking is None or ranking.value is None or not values:
            continue
        low = ranking.value if ranking.low is None else ranking.low
        high = ranking.value if ranking.high is None else ranking.high
        below, above = sum(value < low for value in values.values()), sum(value > high for value in values.values())
        found.append(PublishedComparison(row.task, labels[row.task], ranking.value, len(values), below, above))
    return found


def describe_single_system(
    name: str, overall: ReportCell | None, places: Sequence[PublishedComparison], beyond_trivial: dict[str, bool] | None = None
) -> str:
    """Describe the strengths and weaknesses of a single system: against published systems, or else against trivial baselines.

    >>> good, bad = PublishedComparison("wic", "word senses", 0.4, 9, 7, 1), PublishedComparison("nli", "inference", 0.1, 9, 0, 8)
    >>> describe_single_system("mine", None, [good, bad])
    'mine is good at word senses (above 7 of 9 published systems) and bad at inference (below 8 of 9).'
    """
    scored = "" if overall is None or overall.value is None else f" Overall, it scores {_valued(overall)}."
    if not places:
        return _describe_beyond_trivial(name, beyond_trivial or {}) + scored
    good = sorted((place for place in places if place.good), key=lambda place: -place.below / place.published)
    bad = sorted((place for place in places if place.bad), key=lambda place: -place.above / place.published)
    said = []
    if good:
        said.append(
            "good at "
            + _named(
                [
                    f"{one.label} (above {one.below} of {one.published}{' published systems' if not n else ''})"
                    for n, one in enumerate(good[:MOST])
                ]
            )
        )
    if bad:
        said.append(
            "bad at "
            + _named(
                [
                    f"{one.label} (below {one.above} of {one.published}{'' if good or n else ' published systems'})"
                    for n, one in enumerate(bad[:MOST])
                ]
            )
        )
    between = len(places) - len(good) - len(bad)
    if not said:
        return f"{name} cannot be told apart from most published systems on any of {pluralize(len(places), 'task')}.{scored}"
    rest = f" On {pluralize(between, 'other task')}, it is among the published systems." if between else ""
    return f"{name} is {' and '.join(said)}.{rest}{scored}"


def _describe_beyond_trivial(name: str, beyond: dict[str, bool]) -> str:
    """Describe where a system is significantly better than answers that ignore the input.

    >>> _describe_beyond_trivial("mine", {"names": True, "idioms": True, "word senses": False})
    'mine is better than a trivial baseline on 2 of 3 tasks, but not on word senses. There are no published results to compare it with.'
    """
    alone = "There are no published results to compare it with."
    if not beyond:
        return f"{name}: {alone[0].lower()}{alone[1:]}"
    lacking = [label for label, better in beyond.items() if not better]
    but = f", but not on {_named(lacking)}" if lacking and len(lacking) < len(beyond) else ""
    return f"{name} is better than a trivial baseline on {len(beyond) - len(lacking)} of {pluralize(len(beyond), 'task')}{but}. {alone}"


def describe_systems(names: Sequence[str], overall: ReportRow | None, leaders: Sequence[TaskLeader]) -> str:
    """Describe which system leads where, and on which tasks it differs from the next one.

    >>> rows = [TaskLeader("a", "entities", 0, [], [1]), TaskLeader("b", "stance", 0, [1]), TaskLeader("c", "words", 1, [0])]
    >>> describe_systems(["logistic", "forest"], None, rows)
    'logistic leads on 2 of 3 tasks; only entities tells it from forest.'
    """
    if not leaders:
        return "Nothing here can be ranked."
    first, second = _order(overall, leaders)
    led = [one for one in leaders if one.best == first]
    said = f"{names[first]} leads on {len(led)} of {pluralize(len(leaders), 'task')}"
    if second is None:
        return f"{said}; no other system was run on them."
    sure = [one.label for one in leaders if one.leads_significantly(first, second)]
    lost = [one.label for one in leaders if one.leads_significantly(second, first)]
    only = "only " if len(sure) < len(leaders) / 2 else ""
    said += (
        f"; {only}{_named(sure)} {'tells' if len(sure) == 1 else 'tell'} it from {names[second]}"
        if sure
        else f"; no task tells it from {names[second]}"
    )
    said += f", which is better at {_named(lost)}." if lost else "."
    if len({one.best for one in leaders} | {other for one in leaders for other in one.tied + one.behind}) > 2:
        alike = sum(not one.behind for one in leaders)
        said += f" On {alike} of {pluralize(len(leaders), 'task')}, no system can be told apart from the best." if alike else ""
    return said


def _order(overall: ReportRow | None, leaders: Sequence[TaskLeader]) -> tuple[int, int | None]:
    """Return the leader and the next: by the mean if all rivals have one, else by the tasks they lead, then by those with a tie."""
    rivals = {place for one in leaders for place in (one.best, *one.tied, *one.behind)}
    means = {place: cell.value for place, cell in enumerate(overall.cells) if cell and cell.value is not None} if overall else {}
    ranked = {place: value for place, value in means.items() if place in rivals}
    led, tied = Counter(one.best for one in leaders), Counter(place for one in leaders for place in one.tied)
    if len(ranked) == len(rivals):
        order = sorted(rivals, key=lambda place: (-ranked[place], place))
    else:
        order = sorted(rivals, key=lambda place: (-led[place], -tied[place], place))
    return order[0], order[1] if len(order) > 1 else None


def overall_row(rows: Sequence[ReportRow]) -> ReportRow | None:
    return next((row for row in rows if row.task == OVERALL), None)


def _valued(cell: ReportCell) -> str:
    interval = span(cell.low, cell.high)
    return f"{score(cell.value)} ({interval})" if interval else score(cell.value)


def _named(names: Sequence[str]) -> str:
    """Join names as `a, b and c`; after the first few, with the number of the others.

    >>> _named(["a", "b", "c"]), _named(list("abcdef"))
    ('a, b and c', 'a, b, c, d and 2 more')
    """
    shown = list(names) if len(names) <= MOST + 1 else [*names[:MOST], f"{len(names) - MOST} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
