"""Export of a comparison: CSV at full precision, Markdown and LaTeX with formatted numbers."""

from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from gluepot.board.drawing.formats import Bold
from gluepot.board.standings.pairwise import OTHER_DATA, OTHER_ITEMS, REPORTED, UNDRAWN, Duel, OverallComparison
from gluepot.board.templatetags.shown import chance, score, signed, span
from gluepot.board.views.standings.rows import TOLD
from gluepot.runs.comparison.judgement import BOOTSTRAP, INTERVALS, MCNEMAR

if TYPE_CHECKING:
    from gluepot.board.views.compare import Compare


def reasons() -> dict[str, str]:
    """Return the translated reasons why a difference is not tested."""
    return {
        REPORTED: _("cannot be tested: reported without an interval"),
        OTHER_DATA: _("not compared: scored on different data"),
        OTHER_ITEMS: _("cannot be tested: different numbers of items"),
        UNDRAWN: _("cannot be tested: no resamples are stored"),
    }


def table(page: "Compare") -> tuple[list[str], list[list[Any]], list[str]]:
    """Return header, rows and notes of the CSV file; the mean is the last row."""
    head = ["task", "metric", "n", "a", "b", "difference", "low", "high", "low_corrected", "high_corrected", "p", "p_is_bound"]
    head += ["p_corrected", "test", "better", "worse"]
    head += ["both_right", "only_a_right", "only_b_right", "neither_right", "detectable", "winner", "untested"]
    head += ["a_reported", "b_reported"]
    rows = [_raw(duel) for duel in page.duels]
    if page.overall:
        mean = page.overall
        known = [mean.a, mean.b, mean.difference, mean.low, mean.high]
        rows.append(["overall", f"mean of {mean.terms}/{mean.of}", None, *known, *[None] * 13, mean.winner or None, *[None] * 3])
    names = [f"{name}: {side.name} ({side.slug})" for name, side in (("a", page.a), ("b", page.b)) if side]
    return head, rows, [f"{page.title} {page.version}, {page.split}", *names, *page.verdict]


def shown_table(page: "Compare") -> tuple[list[str], list[list[Any]], list[str]]:
    """Return the table with formatted numbers, for a paper; significant differences are bold."""
    rows: list[list[Any]] = [
        [
            duel.title,
            score(duel.a) + TOLD * duel.a_reported,
            score(duel.b) + TOLD * duel.b_reported,
            Bold(signed(duel.difference)) if duel.winner else signed(duel.difference),
            span(duel.low, duel.high) or None,
            _bounded_chance(duel),
            test_titles().get(duel.judged.test) if duel.judged else None,
            _finding(duel),
        ]
        for duel in page.duels
    ]
    rows += [_shown_mean(page.overall)] if page.overall else []
    head = [_("Task"), "A", "B", "A − B", _("95 % interval, corrected"), _("p, corrected"), _("Test"), _("Finding")]
    names = [f"{name}: {side.name}" for name, side in (("A", page.a), ("B", page.b)) if side]
    told = [f"{TOLD} {_('reported by others, not recomputed')}"] if any(duel.a_reported or duel.b_reported for duel in page.duels) else []
    return head, rows, [f"{page.title} {page.version}, {page.split}", *names, *page.verdict, *told]


def test_titles() -> dict[str, str]:
    """Return the translated names of the tests."""
    return {MCNEMAR: _("McNemar, exact"), INTERVALS: _("from both intervals"), BOOTSTRAP: _("paired bootstrap")}


def _bounded_chance(duel: Duel) -> str:
    """Format a corrected p-value; mark upper bounds with ≤."""
    said = chance(duel.p_corrected)
    return f"≤ {said}" if duel.judged and duel.judged.p_is_bound else said


def _finding(duel: Duel) -> str:
    """Return the finding of a duel in the words of the page."""
    if duel.winner:
        return _winning(duel.winner)
    if duel.judged is None:
        return reasons().get(duel.untested, "")
    return _("not decided: too few resamples") if duel.undecided else _("not to be told apart")


def _winning(side: str) -> str:
    return _("A is better") if side == "a" else _("B is better")


def _shown_mean(mean: OverallComparison) -> list[Any]:
    """Return the row of the mean, whose interval is not corrected for multiple comparisons."""
    tested, difference = mean.low is not None, signed(mean.difference)
    found = _winning(mean.winner) if mean.winner else _("not to be told apart") if tested else None
    shown = Bold(difference) if mean.winner else difference
    return [_("Overall"), score(mean.a), score(mean.b), shown, span(mean.low, mean.high) or None, None, None, found]


def _raw(duel: Duel) -> list[Any]:
    judged, parts = duel.judged, duel.quarters
    cells: list[Any] = [duel.task, duel.metric, duel.n, duel.a, duel.b, duel.difference]
    cells += [judged.low, judged.high, duel.low, duel.high] if judged else [None] * 4
    cells += [judged.p, int(judged.p_is_bound), duel.p_corrected, judged.test] if judged else [None] * 4
    cells += [judged.better, judged.worse] if judged else [None] * 2
    cells += [parts.both, parts.only_a, parts.only_b, parts.neither] if parts else [None] * 4
    marks = int(duel.a_reported), int(duel.b_reported)
    return [*cells, judged.detectable if judged else None, duel.winner or None, duel.untested or None, *marks]
