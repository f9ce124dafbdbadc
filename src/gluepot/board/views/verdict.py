"""Findings of a comparison of two systems, as sentences."""

from collections.abc import Sequence

from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from gluepot.board.models import SuiteVersion, System
from gluepot.board.standings.making import make_standings
from gluepot.board.standings.pairwise import Duel, OverallComparison
from gluepot.board.standings.score_matrix import ScoreMatrix
from gluepot.board.standings.state import State
from gluepot.tasks.texts import FALLBACK, task_label


def verdict_of(field: ScoreMatrix, a: System | None, b: System | None, duels: Sequence[Duel], whole: OverallComparison | None) -> list[str]:
    """Return sentences on which system is better on which tasks, and whose mean is higher."""
    if a is None or b is None:
        return []
    if a == b:
        return [_("These are the same system: choose two.")]
    if not duels:
        return [_("They have no task in common on this split.")]
    tested = sum(duel.judged is not None for duel in duels)
    if not tested:
        return [_("Nothing can be tested here: scores of at least one of them were only reported, without intervals.")]
    return [*_winners(field.suite.name, a, b, duels), *_mean(a, b, whole)]


def _winners(suite: str, a: System, b: System, duels: Sequence[Duel]) -> list[str]:
    wins = {side: [plain_name(suite, duel) for duel in duels if duel.winner == side] for side in ("a", "b")}
    if not wins["a"] and not wins["b"]:
        return [_("No task separates them at 5 % after correction.")]
    first, (more, fewer) = (a, (wins["a"], wins["b"])) if len(wins["a"]) >= len(wins["b"]) else (b, (wins["b"], wins["a"]))
    facts = {"name": first.name, "count": len(more), "tasks": ", ".join(more), "fewer": len(fewer), "others": ", ".join(fewer)}
    if not fewer:
        said = ngettext(
            "%(name)s is better on %(count)d task (%(tasks)s), worse on none.",
            "%(name)s is better on %(count)d tasks (%(tasks)s), worse on none.",
            len(more),
        )
    else:
        said = ngettext(
            "%(name)s is better on %(count)d task (%(tasks)s), worse on %(fewer)d (%(others)s).",
            "%(name)s is better on %(count)d tasks (%(tasks)s), worse on %(fewer)d (%(others)s).",
            len(more),
        )
    return [said % facts]


def plain_name(suite: str, duel: Duel) -> str:
    """Return the plain-language label of a task, in the visitor's language."""
    return task_label(suite, duel.task, duel.title, get_language() or FALLBACK)


def _mean(a: System, b: System, whole: OverallComparison | None) -> list[str]:
    if whole is None or whole.low is None or whole.high is None:
        return []
    if whole.low <= 0 <= whole.high:
        return [_("Their means cannot be told apart.")]
    return [_("The mean of %(name)s is higher.") % {"name": a.name if whole.difference > 0 else b.name}]


def places_of_both(version: SuiteVersion, split: str, a: System | None, b: System | None, whole: OverallComparison | None) -> list[str]:
    """Return the ranks of both systems, and why their overlap may disagree with the difference of their means."""
    if a is None or b is None or whole is None or whole.low is None or whole.high is None:
        return []
    page = make_standings(version, State(split=split), whole=True)
    rows = {row.slug: row for row in page.rows if row.rank is not None}
    if a.slug not in rows or b.slug not in rows:
        return []
    sides = [rows[a.slug], rows[b.slug]]
    told = [f"{row.rank_low}–{row.rank_high}" if row.rank_low != row.rank_high else f"{row.rank}" for row in sides]
    facts = {"a": told[0], "b": told[1], "all": page.competing}
    said = _("On the board A has rank %(a)s and B rank %(b)s of %(all)s.") % facts
    apart = (sides[0].rank_high or 0) < (sides[1].rank_low or 0) or (sides[1].rank_high or 0) < (sides[0].rank_low or 0)
    if apart == (not whole.low <= 0 <= whole.high):
        return [said]
    return [f"{said} {_why_apart() if apart else _why_together()}"]


def _why_together() -> str:
    return _(
        "These overlap, although the means differ: there each is compared with all others at once, so that a difference must be larger to "
        "count, and a system without an interval may have any rank."
    )


def _why_apart() -> str:
    return _(
        "These do not overlap, although the means cannot be told apart: ranks follow from the comparisons with all others too, and from "
        "the spread of a difference rather than from its interval."
    )
