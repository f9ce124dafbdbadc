"""Task list of a suite: what each task asks, its split sizes and its metrics."""

from collections import Counter
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.utils.translation import get_language

from gluepot.board.drawing.formats import WRITERS, Cell
from gluepot.board.models import Score, SuiteVersion
from gluepot.board.server import addresses
from gluepot.board.standings.score_matrix import stored_suite
from gluepot.board.views import file_response, find_version, render_page
from gluepot.board.views.links import file_links
from gluepot.data.folders import available_splits
from gluepot.records import Suite, Task
from gluepot.tasks.texts import FALLBACK, suite_summary, task_label, task_summary

SPLITS = ("train", "dev", "val", "test", "all")
"""Display order of splits; PostgreSQL does not preserve the order of JSON keys."""


@dataclass(frozen=True)
class TaskLine:
    """A task in the list."""

    name: str
    title: str
    label: str
    """Plain-language name of the task."""
    address: str
    summary: str
    kind: str
    metrics: list[str]
    sizes: dict[str, int]
    unit: str
    license: str
    official: bool
    """Whether it counts towards the suite's overall score."""
    withheld: list[str]
    """Splits whose gold answers the publisher withholds."""
    here: list[str]
    """Splits whose files are on this server."""
    systems: int


@dataclass(frozen=True)
class Tasks:
    """Data shown in the task list."""

    suite: str
    version: str
    title: str
    summary: str
    link: str
    license: str
    citation: str
    splits: list[str]
    tasks: list[TaskLine]


def tasks(version: SuiteVersion) -> Tasks:
    suite = stored_suite(version)
    scored = Score.objects.filter(entry__suite=version, current=True, slice="", value__isnull=False, entry__system__role="system")
    systems = Counter(task for task, _ in set(scored.values_list("task", "entry__system_id")))
    counted = {entry.partition(":")[0] for term in suite.overall.terms for entry in term}
    lines = [_line(suite, task, systems[name], name in counted) for name, task in suite.tasks.items()]
    return Tasks(
        suite=suite.name,
        version=suite.version,
        title=suite.title,
        summary=suite_summary(suite, get_language() or FALLBACK),
        link=suite.link,
        license=suite.license,
        citation=suite.citation,
        splits=[split for split in SPLITS if any(split in line.sizes for line in lines)],
        tasks=lines,
    )


def _line(suite: Suite, task: Task, systems: int, official: bool) -> TaskLine:
    language = get_language() or FALLBACK
    return TaskLine(
        name=task.name,
        title=task.title,
        label=task_label(suite.name, task.name, task.title, language),
        address=addresses.task(suite.name, suite.version, task.name),
        summary=task_summary(task, language),
        kind=task.kind,
        metrics=task.metrics,
        sizes=task.data.rows,
        unit=task.data.counts,
        license=task.license,
        official=official,
        withheld=task.data.unlabelled,
        here=available_splits(task),
        systems=systems,
    )


def view(request: HttpRequest, suite: str, version: str, form: str | None = None) -> HttpResponse:
    page = tasks(find_version(suite, version))
    if form in WRITERS:
        return file_response(WRITERS[form](*_table(page)), form)
    files = file_links(page.suite, page.version, "tasks")
    rows = [(line, [(split, line.sizes.get(split), split in line.withheld) for split in page.splits]) for line in page.tasks]
    return render_page(request, page, "tasks", form, rows=rows, files=files, withheld=any(line.withheld for line in page.tasks))


def _table(page: Tasks) -> tuple[list[str], list[list[Cell]], list[str]]:
    head = ["task", "title", "kind", "metric", "license", *page.splits, "unit", "systems"]
    rows: list[list[Cell]] = [
        [line.name, line.title, line.kind, line.metrics[0], line.license, *map(line.sizes.get, page.splits), line.unit, line.systems]
        for line in page.tasks
    ]
    return head, rows, [f"{page.title} {page.version}. {page.citation}"]
