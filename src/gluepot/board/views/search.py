"""Search over tasks and suites, in plain words of any language, and over systems."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse

from gluepot.board.analysis.finding_tests import ScoredTask, list_scored_tasks
from gluepot.board.models import SuiteVersion, System
from gluepot.board.server import addresses
from gluepot.board.server.middleware.parameters import accepts_parameters
from gluepot.board.views import render_page
from gluepot.tasks.texts import PlainTexts, suite_texts, task_texts, task_types

MOST = 50


@dataclass(frozen=True)
class SearchHit:
    """A suite or system that matches the search."""

    title: str
    address: str
    about: str


@dataclass(frozen=True)
class SearchPage:
    """Data shown on the search page."""

    asked: str
    tasks: list[ScoredTask]
    suites: list[SearchHit]
    systems: list[SearchHit]


def search(asked: str) -> SearchPage:
    words = asked.casefold().split()
    versions = list(SuiteVersion.objects.order_by("name", "-pk"))
    if not words:
        return SearchPage(asked, [], [], [])
    tasks = [place for place in list_scored_tasks(versions) if _has(words, _task_words(place))]
    suites = [
        SearchHit(
            f"{version.declaration['title']} {version.version}",
            addresses.board(version.name, version.version),
            version.declaration["summary"],
        )
        for version in versions
        if _has(words, [version.name, version.declaration["title"], version.declaration["summary"], *_all_words(suite_texts(version.name))])
    ]
    known = System.objects.order_by("name").values_list("name", "slug", "family", "team")
    systems = [
        SearchHit(name, addresses.system(slug), " · ".join(filter(None, (team, family))))
        for name, slug, family, team in known
        if _has(words, [name, family, team])
    ]
    return SearchPage(asked, tasks[:MOST], suites[:MOST], systems[:MOST])


def _has(words: list[str], texts: list[str]) -> bool:
    """Whether every word occurs in the texts; words longer than six letters match without their last two, to allow for inflection."""
    text = " ".join(texts).casefold()
    return all(word in text or (len(word) > 6 and word[:-2] in text) for word in words)


def _task_words(place: ScoredTask) -> list[str]:
    kind = task_types().get(place.type)
    return [place.title, place.task, place.type, *_all_words(task_texts(place.suite, place.task)), *(_all_words(kind) if kind else [])]


def _all_words(texts: PlainTexts) -> list[str]:
    """Return the labels, summaries and keywords in all languages."""
    return [word for text in texts.languages.values() for word in (text.label, text.short, text.summary, *text.words)]


@accepts_parameters("q")
def view(request: HttpRequest) -> HttpResponse:
    asked = " ".join(request.GET.get("q", "").replace("\0", "").split())[:200]
    return render_page(request, search(asked), "search")
