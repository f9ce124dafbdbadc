"""Task page: data sheet, split sizes, statistical power, scores of all systems, and the item browser."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from gluepot.board.analysis.people import PeopleScore, people_scores
from gluepot.board.analysis.power import DISCORDANT, Detectable, DetectableSpread, Trivial, detectable, detectable_by_pairs, trivial_scores
from gluepot.board.drawing.markup import render_markdown
from gluepot.board.errata import claims_about
from gluepot.board.items.browsing import Browser, browse
from gluepot.board.items.controls import make_controls
from gluepot.board.items.item_query import NAMES, ItemQuery, parse_item_query
from gluepot.board.items.loading import load_items, open_items
from gluepot.board.models import Score, SuiteVersion
from gluepot.board.server import addresses
from gluepot.board.server.middleware.parameters import accepts_parameters
from gluepot.board.standings.revisions import RevisionCache, revision
from gluepot.board.standings.score_matrix import load_score_matrix, stored_suite
from gluepot.board.templatetags.shown import decimal
from gluepot.board.views import NearestPage, PageNotFound, find_version, render_page
from gluepot.board.views.citation import Citation, cite, permanent_address
from gluepot.board.views.languages import language_name
from gluepot.board.views.links import file_links
from gluepot.board.views.standings.headline import headline
from gluepot.board.views.standings.metric_texts import metric_summary
from gluepot.board.views.tasks.task_scores import TaskScoreRow, axis_for, draw_rows, draw_scale, list_scores, ranking_metrics, standing_on
from gluepot.board.views.tasks.tasks import SPLITS
from gluepot.build.artefacts.leaks import SplitLeak
from gluepot.build.artefacts.report import Artefact
from gluepot.build.artefacts.tasks import TaskArtefacts, task_artefacts
from gluepot.data.checks.accepted_findings import load_accepted
from gluepot.data.folders import has_split
from gluepot.errors import GluepotError, canonical_name, nearest
from gluepot.metrics import METRICS
from gluepot.records import Suite, Task
from gluepot.tasks.published_results import load_errata
from gluepot.tasks.rules import answer_rules
from gluepot.tasks.sheets import load_sheet
from gluepot.tasks.texts import FALLBACK, task_label, task_summary, translate_finding

MOST = 100
"""Maximum number of systems listed."""
MOST_ITEMS = 15_000
"""Size limit of tasks whose artefacts are computed for the page; `gluepot data check --artefacts` reports on tasks of any size."""


@dataclass(frozen=True)
class Size:
    """A split: its published size, and whether it is available on this server."""

    split: str
    published: int | None
    withheld: bool
    here: bool
    address: str


@dataclass(frozen=True)
class TaskPage:
    """Data shown on the task page."""

    suite: str
    version: str
    suite_title: str
    name: str
    title: str
    label: str
    """Plain-language name of the task."""
    summary: str
    kind: str
    language: str
    domain: list[str]
    license: str
    citation: str
    link: str
    trained_on: str | None
    labels: list[str]
    rules: dict[str, str]
    """Rules on which answers are accepted and which are invalid."""
    skips: bool
    """Whether items may be skipped."""
    metrics: dict[str, str]
    unit: str
    split: str
    sizes: list[Size]
    sheet: dict[str, dict[str, str]]
    discordant: tuple[float, ...]
    detectable: list[Detectable]
    spread: DetectableSpread | None
    trivial: list[Trivial]
    scores: list[TaskScoreRow]
    people: list[PeopleScore]
    """Human scores, with the scores of systems on the same items."""
    unlisted: int
    errata: list[str]
    findings: list[str]
    artefacts: list[Artefact]
    """Accuracy of single features in predicting the gold answers, best first; empty if the files are large or absent."""
    leaks: list[SplitLeak]
    browser: Browser


def task_page(version: SuiteVersion, name: str, wish: ItemQuery) -> TaskPage:
    suite = stored_suite(version)
    task = find_task(suite, name)
    split = _split(version, suite, task, wish)
    field = load_score_matrix(version, split, revision())
    items = open_items(task, split)
    standing = standing_on(version, task, split)
    listed, metrics = list_scores(version, task, standing), ranking_metrics(standing, task)
    language = get_language() or FALLBACK
    given_away = _artefacts(task)
    return TaskPage(
        suite=suite.name,
        version=suite.version,
        suite_title=suite.title,
        name=task.name,
        title=task.title,
        label=task_label(suite.name, task.name, task.title, language),
        summary=task_summary(task, language),
        kind=task.kind,
        language=task.language,
        domain=task.domain,
        license=task.license,
        citation=task.citation,
        link=task.link,
        trained_on=task.trained_on,
        labels=task.labels,
        rules=answer_rules(task),
        skips=task.may_skip,
        metrics={metric: metric_summary(metric) for metric in metrics if metric in METRICS},
        unit=task.data.counts,
        split=split,
        sizes=_sizes(suite, task, wish),
        sheet=_sheet(task),
        discordant=DISCORDANT,
        detectable=detectable(task),
        spread=detectable_by_pairs(field, task.name, metrics[0]),
        trivial=trivial_scores(items) if items else [],
        scores=listed[:MOST],
        people=people_scores(version, task, split, items),
        unlisted=max(0, len(listed) - MOST),
        errata=[translate_finding(suite.name, known.reason, language) for known in load_errata(suite).known if known.task == task.name],
        findings=_findings(suite, task, language),
        artefacts=sorted(given_away.artefacts, key=lambda one: -one.accuracy) if given_away else [],
        leaks=given_away.leaks if given_away else [],
        browser=browse(version, task, split, items, wish),
    )


def _findings(suite: Suite, task: Task, language: str) -> list[str]:
    known = [found for found in load_accepted(suite) if found.task == task.name]
    return [f"{found.code}: {translate_finding(suite.name, found.reason, language)}" for found in known]


def _artefacts(task: Task) -> TaskArtefacts | None:
    """Return the artefact report of a task small enough to be analysed within a request."""
    if not task.data.rows or sum(task.data.rows.values()) > MOST_ITEMS:
        return None
    try:
        return task_artefacts(task)
    except (GluepotError, OSError):  # `gluepot data check` reports what is wrong with a file
        return None


def find_task(suite: Suite, name: str) -> Task:
    found = suite.tasks.get(name) or next(
        (task for task in suite.tasks.values() if canonical_name(task.name) == canonical_name(name)), None
    )
    if found is None:
        said = _("%(suite)s has no task “%(name)s”.") % {"suite": suite.title, "name": name}
        raise PageNotFound(said, _nearest_task(suite, name))
    return found


def _nearest_task(suite: Suite, name: str) -> NearestPage | None:
    """Suggest a task with a similar name, title or label, or one that begins with the given text."""
    language = get_language() or FALLBACK
    words = {word: task for task in suite.tasks.values() for word in _words(suite, task, language)}
    near = nearest(name, words) or next(
        (word for word in words if len(name) > 2 and canonical_name(word).startswith(canonical_name(name))), None
    )
    return NearestPage(words[near].title, addresses.task(suite.name, suite.version, words[near].name)) if near else None


def _words(suite: Suite, task: Task, language: str) -> tuple[str, ...]:
    return task.name, task.title, task_label(suite.name, task.name, task.title, language)


_scored = RevisionCache[tuple[int, str], Counter[str]]()


def _count_splits(version: SuiteVersion, task: Task) -> Counter[str]:
    return Counter(Score.objects.filter(entry__suite=version, task=task.name, current=True).values_list("split", flat=True))


def _split(version: SuiteVersion, suite: Suite, task: Task, wish: ItemQuery) -> str:
    """Return the requested split, else the suite's own, else the one with most scores, else the first that is not training data."""
    known = list(dict.fromkeys(split for source in task.sources for split in source.files))
    scored = _scored.get((version.pk, task.name), revision(), lambda: _count_splits(version, task))
    wanted = [wish.split, suite.score_split, *(split for split, _count in scored.most_common())]
    fit = [split for split in wanted if split and split != "train" and (split in known or split in scored)]
    return next(iter([*fit, *(split for split in known if split != "train"), *known]), suite.score_split)


def _sizes(suite: Suite, task: Task, wish: ItemQuery) -> list[Size]:
    here = addresses.task(suite.name, suite.version, task.name)
    return [
        Size(split, task.data.rows.get(split), split in task.data.unlabelled, has_split(task, split), f"{here}?split={split}")
        for split in sorted({*task.data.rows, *task.data.files}, key=lambda name: (SPLITS.index(name) if name in SPLITS else 9, name))
    ]


def _sheet(task: Task) -> dict[str, dict[str, str]]:
    try:
        return {section: {name.rstrip("*"): text for name, text in fields} for section, fields in load_sheet(task).sections() if fields}
    except GluepotError:
        return {}


@accepts_parameters(*NAMES, told=True)
def view(request: HttpRequest, suite: str, version: str, task: str, form: str | None = None) -> HttpResponse:
    found = find_version(suite, version)
    query = request.META.get("QUERY_STRING", "")
    wish = parse_item_query(query)
    if form is None and wish.query() != query:
        return HttpResponseRedirect(addresses.board(found.name, found.version, f"tasks/{task}", wish.query()))
    page = task_page(found, task, wish)
    if form == "json":
        return render_page(request, page, "", "json")
    cited = _cited(request, page, wish)
    return cited.response() if form == "bib" else render_page(request, page, "task", cited=cited, **_context(page, found, wish))


def _cited(request: HttpRequest, page: TaskPage, wish: ItemQuery) -> Citation:
    """Return the citation of this page, including its split and item query."""
    address = permanent_address(request, page.suite, page.version, f"tasks/{page.name}", replace(wish, split=page.split).query())
    return cite(f"{page.suite}-{page.version}-{page.name}", f"{page.title} in {page.suite_title} {page.version}, {page.split}", address)


def _context(page: TaskPage, version: SuiteVersion, wish: ItemQuery) -> dict[str, Any]:
    """Return the context used by the HTML only."""

    def link(other: ItemQuery) -> str:
        return addresses.board(page.suite, page.version, f"tasks/{page.name}", other.query())

    suite = stored_suite(version)
    items = None if page.browser.closed else load_items(suite.tasks[page.name], page.split)
    sheet = [(section, [(name, render_markdown(text, 4)) for name, text in fields.items()]) for section, fields in page.sheet.items()]
    standing, axis = standing_on(version, suite.tasks[page.name], page.split), axis_for(page.scores)
    usual = page.spread.usual if page.spread else None
    return {
        "sheet": sheet,
        "headline": headline(standing) if standing.only == page.name else "",
        "competing": standing.competing,
        "rows": draw_rows(page.scores, axis, standing.competing),
        "scale": draw_scale(axis, usual) if axis else "",
        "language_name": language_name(page.language),
        "mark": decimal(0.5)[1],
        "reported": any(not row.verified for row in page.scores),
        "files": file_links(page.suite, page.version, f"tasks/{page.name}", wish.query(), ["json", "bib"]),
        "tasks": addresses.board(page.suite, page.version, "tasks"),
        "claims": [(claim.title, f"{addresses.home()}/errata#{claim.key}") for claim in claims_about(page.suite, page.name)],
        "everybody": addresses.board(page.suite, page.version, query=f"split={page.split}&only={page.name}"),
        "controls": make_controls(page.browser, items, wish, link) if items else None,
        "content_language": page.language,
        "default_split": suite.score_split,
    }
