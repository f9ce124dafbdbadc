"""Rows of the standings table. HTML is concatenated directly: a template took 1 s for 500 rows of 20 cells, this takes 20 ms."""

import re
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import quote

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from gluepot.board.drawing.marks import draw_places
from gluepot.board.server import addresses
from gluepot.board.standings.record import ScoreCell, StandingsPage, StandingsRow, StandingsTask
from gluepot.board.standings.revisions import RevisionCache
from gluepot.board.templatetags.shown import DASH, MINUS, decimal, number, share, size
from gluepot.board.views.standings.overall_axis import axis_of
from gluepot.board.views.standings.tables import SAME, describe_people, is_best, is_best_overall, overall
from gluepot.statistics.rank_intervals import UNKNOWN

EMPTY = "<td class=none>·</td>"
TOLD = "ʳ"
"""Marker of reported scores."""
TAIL = 14
"""Characters at the end of a truncated name that remain visible: `-cased-165k` tells it from its siblings."""
MANY = 20_000
"""Maximum number of rows cached per table; more come from addresses that are not requested twice."""
_written = RevisionCache[tuple[str | None, bool, str, str, str], dict[int, tuple[dict[str, ScoreCell | None], list[str]]]]()
"""Cached cells of rows with the scores they were rendered from, by language, interval display, suite, version and split."""
_systems = RevisionCache[tuple[str | None, str, str], dict[str, "SystemText"]]()
"""Cached text of systems, by slug."""


class SystemText(NamedTuple):
    """Parts of a row that depend on its system alone."""

    attributes: str
    tick: str
    name: str
    badges: str
    facts: str


def bodies(page: StandingsPage, *, intervals: bool) -> list[tuple[str, SafeString]]:
    """Return the HTML of the table by section."""
    pen = RowWriter(page, intervals=intervals)
    return [(name, mark_safe(pen.rows(page.section(name)))) for name in page.sections]  # noqa: S308  escaped there


class RowWriter:
    """Row writer with the words and symbols of the visitor's language looked up once. `data-v` holds the browser's sort key."""

    def __init__(self, page: StandingsPage, *, intervals: bool) -> None:
        self.page, self.intervals = page, intervals
        self.axis = axis_of(page)
        self.mark = decimal(0.5)[1]
        self.unranked, self.some, self.tick = _("not ranked"), _("%(covered)s of %(terms)s tasks"), _("Choose %(name)s")
        self.ran, self.missing = _("ran here"), _("not run")
        self.badges = {"trivial": _("baseline"), "human": _("human")}
        self.systems = _systems.get((get_language(), page.suite, page.version), page.revision, dict)
        self.kept = _written.get((get_language(), intervals, page.suite, page.version, page.split), page.revision, dict)
        self.places = {task.name: place for place, task in enumerate(page.tasks)}
        self.tops = self._tops()
        self.versioned = len(page.versions) > 1

    def rows(self, rows: Sequence[StandingsRow]) -> str:
        return "".join([f"{self.head(row)}{self.tail(row)}</tr>\n" for row in rows])

    def tail(self, row: StandingsRow) -> str:
        """Return the task cells of a row, from the cache if possible; the best are made bold and ties are shaded."""
        known = self.kept.get(id(row.scores))
        if known is None or known[0] is not row.scores:
            known = self._keep(row)
        if not row.tied and row.slug not in self.tops:
            return "".join(known[1])
        cells = known[1].copy()
        for name in self.tops.get(row.slug, ()):
            cells[self.places[name]] = _bold(cells[self.places[name]])
        for name in row.tied:
            if (cell := row.scores[name]) is not None and cell.ranked:
                cells[self.places[name]] = f"<td class=tie{cells[self.places[name]][3:]}"
        return "".join(cells)

    def _keep(self, row: StandingsRow) -> tuple[dict[str, ScoreCell | None], list[str]]:
        if len(self.kept) >= MANY:
            self.kept.clear()
        cells = [EMPTY if (cell := row.scores[task.name]) is None else self.cell(cell, task) for task in self.page.tasks]
        self.kept[id(row.scores)] = row.scores, cells
        return row.scores, cells

    def _tops(self) -> dict[str, list[str]]:
        """Return the tasks on which each system has the best value."""
        found: dict[str, list[str]] = {}
        for task in self.page.tasks:
            for row in self.page.rows if task.best is not None else ():
                if is_best(task, row.scores[task.name]):
                    found.setdefault(row.slug, []).append(task.name)
        return found

    def score(self, value: float) -> str:
        """Format a score like the filter of the same name, without looking up the language each time."""
        text = f"{100 * value:.1f}"
        if text[0] == "-":
            text = text[1:] if text == "-0.0" else f"{MINUS}{text[1:]}"
        return text if self.mark == "." else text.replace(".", self.mark)

    def span(self, low: float | None, high: float | None) -> str:
        """Return the interval below a value, if intervals are enabled and it has one."""
        if not self.intervals or low is None or high is None:
            return ""
        return f"<small>{self.score(low)}{DASH if low >= 0 else ' … '}{self.score(high)}</small>"

    def head(self, row: StandingsRow) -> str:
        """Return the beginning of a row, before the task cells."""
        if (told := self.systems.get(row.slug)) is None:
            told = self.systems[row.slug] = self.system(row)
        voted = [cell.people for cell in row.scores.values() if cell and cell.people] if row.role == "human" else []
        versions = f"<td class=ver>{escape(', '.join(_short(version) for version in row.versions)) or DASH}</td>" if self.versioned else ""
        return (
            f"<tr{' class=people' if voted else ''} data-c={row.coverage.partition('/')[0]}{told.attributes}>"
            f"<td class=tick>{told.tick}</td><td class=rank>{self.rank(row)}</td>"
            f'<th scope="row">{told.name}<small>{self.facts(told, voted)}</small></th>{self.overall(row)}{versions}'
        )

    def system(self, row: StandingsRow) -> SystemText:
        """Return the text of a row that describes its system."""
        slug = escape(quote(row.slug))
        maker, model = _maker(row.system) if row.team in ("", _maker(row.system)[0]) else ("", row.system)
        tick = f'<input type=checkbox name=s form=ticks value="{slug}" aria-label="{escape(self.tick % {"name": row.system})}">'
        attributes = [
            f' data-o="{",".join(what for what, is_open in row.open.items() if is_open)}" data-l="{escape(",".join(row.languages))}"',
            f' data-f="{escape(row.family)}"' if row.family else "",
            _number("p", row.parameters),
            _number("g", row.data_gigabytes),
            f' data-q="{escape(row.team)}"' if row.team else "",
        ]
        known = [
            escape(row.team or maker),
            "" if row.role == "human" else escape(row.family or ""),
            size(row.parameters) if row.parameters else "",
        ]
        known.append(f"{decimal(row.data_gigabytes, 0)} GB" if row.data_gigabytes else "")
        known.append(_scored_in_private(row.private_scorings) if row.private_scorings else "")
        word = self.badges.get(row.role)
        badges = f"<span class=badge>{word}</span> " if word else ""
        badges += f'<span class="badge ran">{escape(self.ran)}</span> ' if row.ran_here else ""
        return SystemText(
            "".join(attributes),
            "" if row.role != "system" else tick,
            f'<a href="{addresses.system("")}{slug}">{_unseen(maker)}{_foldable(escape(model))}</a>',
            badges,
            " · ".join(fact for fact in known if fact),
        )

    @staticmethod
    def facts(told: SystemText, voted: list[dict[str, float]]) -> str:
        """Return team, family, size and training data, as far as known; for human scores, also the sample size."""
        words = [told.facts, *(describe_people(people) for people in voted[:1])]
        return told.badges + " · ".join(word for word in words if word)

    def rank(self, row: StandingsRow) -> str:
        if row.rank is None:
            return DASH
        open_places = "" if row.rank_low == row.rank_high else f" <small>({row.rank_low}{DASH}{row.rank_high})</small>"
        bar = draw_places(row.rank_low, row.rank_high, self.page.competing, known=row.evidence != UNKNOWN)
        return f"{row.rank}{open_places}{bar}"

    def overall(self, row: StandingsRow) -> str:
        covered, _slash, terms = row.coverage.partition("/")
        if row.overall is None:
            said = self.missing if terms == "1" else self.some % {"covered": covered, "terms": terms}
            return f"<td class=main><span class=part>{said}</span></td>"
        text = overall(self.page, row) or ""
        text = f"<b>{text}</b>" if is_best_overall(self.page, row) else text
        text = text if row.verified else f"<i>{text}{TOLD}</i>"
        drawn = self.axis.draw(row.overall_low, row.overall, row.overall_high) if self.axis else ""
        tied = " tie" if row.rank_low == 1 and row.evidence != UNKNOWN else ""
        value = f"<output>{text}{self.below(row)}</output>"
        return f'<td class="main{tied}" data-v={row.overall * 1e5:.0f}><div>{value}{drawn}</div></td>'

    def below(self, row: StandingsRow) -> str:
        """Return the small print below the overall value; if a single task ranks, that of its cell."""
        task = next((task for task in self.page.tasks if task.name == self.page.only), None)
        cell = row.scores[task.name] if task else None
        if task and cell and cell.people:
            return self.people(cell, task)
        return self.span(row.overall_low, row.overall_high) + (self.same(cell) if cell else "")

    def people(self, cell: ScoreCell, task: StandingsTask) -> str:
        """Return the wide interval of a human score, always shown, and its sample size, linked to all systems' scores on the same items."""
        between = DASH if (cell.low or 0) >= 0 else " … "
        ends = "" if cell.low is None or cell.high is None else f"{self.score(cell.low)}{between}{self.score(cell.high)}"
        address = f"{addresses.task(self.page.suite, self.page.version, task.name)}?split={quote(self.page.split)}#people"
        words = describe_people(cell.people)
        count = f"n {number(int(cell.people['items']))}" + ("" if cell.coverage is None else f" · {share(cell.coverage)} %")
        link = f'<a href="{escape(address)}" title="{escape(words)}" aria-label="{escape(words)}">{count}</a>'
        return f"<small>{ends}</small><small>{link}</small>"

    def same(self, cell: ScoreCell) -> str:
        """Return the value on the items shown to human raters."""
        return "" if cell.same_items is None else f"<small class=same>{self.score(cell.same_items)}{SAME}</small>"

    def cell(self, cell: ScoreCell, task: StandingsTask) -> str:
        text = self.score(cell.value) if cell.verified else f"<i>{self.score(cell.value)}{TOLD}</i>"
        if cell.others:
            text += f"<small>{' / '.join(self.score(value) for _metric, value in cell.others)}</small>"
        text += self.people(cell, task) if cell.people else self.span(cell.low, cell.high)
        text += self.same(cell)
        if cell.n is not None and cell.coverage is not None and not cell.people:
            text += f"<small>n {number(cell.n)} · {share(cell.coverage)} %</small>"
        note = f' title="{escape(cell.note)}"' if cell.note else ""
        if not cell.ranked:
            return f"<td class=aside{note}>{text}<small>{escape(self.unranked)}</small></td>"
        total = _total(cell, task) if task.counted else ""
        return f"<td data-v={cell.value * 1e5:.0f}{total}{note}>{text}</td>"


def _scored_in_private(times: int) -> str:
    said = ngettext("scored once in private", "scored %(times)s times in private", times)
    return escape(said % {"times": number(times)})


def _maker(name: str) -> tuple[str, str]:
    """Split a model name of the form `organization/model`, as used on model hubs.

    >>> _maker("KB/bert-base-swedish-cased"), _maker("Majority label/Avg")
    (('KB', 'bert-base-swedish-cased'), ('', 'Majority label/Avg'))
    """
    maker, slash, model = name.partition("/")
    return (maker, model) if slash and re.fullmatch(r"[\w.-]+/[\w.-]+", name) else ("", name)


def _unseen(maker: str) -> str:
    """Return the organization of a name as text for screen readers and search; it is visible among the metadata below."""
    return f"<span class=vh>{escape(maker)}/</span>" if maker else ""


def _foldable(name: str) -> str:
    """Split a name so that its middle can be truncated by CSS.

    >>> _foldable("megatron-bert-large-swedish-cased-165k")
    '<span>megatron-bert-large-swed</span><span>ish-cased-165k</span>'
    """
    cut = len(name) - TAIL
    if cut < TAIL or "&" in name:  # an escaped character must not be cut
        return name
    return f"<span>{name[:cut]}</span><span>{name[cut:]}</span>"


def _short(version: str) -> str:
    """Return a harness's version without its name.

    >>> _short("lm-harness 13.0.0"), _short("mine")
    ('13.0.0', 'mine')
    """
    return version.rpartition(" ")[2]


def _total(cell: ScoreCell, task: StandingsTask) -> str:
    """Return the mean of the counted metrics as `data-t`; empty if one is missing."""
    values = {task.metrics[0]: cell.value, **dict(cell.others)}
    known = [values[metric] for metric in task.counted if metric in values]
    return f' data-t="{1e5 * sum(known) / len(known):.0f}"' if len(known) == len(task.counted) else ' data-t=""'


def _bold(cell: str) -> str:
    """Make the number of a cell bold.

    >>> _bold("<td data-v=73512>73.5<small>71–76</small></td>")
    '<td data-v=73512><b>73.5</b><small>71–76</small></td>'
    """
    start, value, rest = re.split(r"(?<=>)([^<]+)(?=<)", cell, maxsplit=1)
    return f"{start}<b>{value}</b>{rest}"


def _number(name: str, value: float | None) -> str:
    return "" if value is None else f" data-{name}={value:.10g}"
