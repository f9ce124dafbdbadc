"""Which board answers a question: a type of task in a language, among all suites of a board; and the nearest if none does."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import get_language

from gluepot.board.models import Score, SuiteVersion
from gluepot.board.server import addresses
from gluepot.board.standings.score_matrix import stored_suite
from gluepot.tasks.texts import FALLBACK, task_label, task_types, type_of

NEAREST = 6


@dataclass(frozen=True)
class TaskPlace:
    """A task on a board."""

    suite: str
    version: str
    suite_title: str
    task: str
    title: str
    label: str
    type: str
    language: str
    systems: int
    recomputed: int
    """Systems whose score was computed here."""
    address: str


def task_places(versions: Sequence[SuiteVersion]) -> list[TaskPlace]:
    """All tasks with a score, of the newest version of each suite; those with most systems first."""
    language, made, seen = get_language() or FALLBACK, [], set()
    for version in versions:
        if version.name in seen:
            continue
        seen.add(version.name)
        suite = stored_suite(version)
        scored = Score.objects.filter(entry__suite=version, current=True, slice="", value__isnull=False, entry__system__role="system")
        pairs = set(scored.values_list("task", "entry__system_id", "verified"))
        systems = Counter(task for task, _system in {pair[:2] for pair in pairs})
        recomputed = Counter(task for task, _system, verified in pairs if verified)
        for task in suite.tasks.values():
            if systems[task.name]:
                made.append(
                    TaskPlace(
                        suite=suite.name,
                        version=suite.version,
                        suite_title=suite.title,
                        task=task.name,
                        title=task.title,
                        label=task_label(suite.name, task.name, task.title, language),
                        type=type_of(suite.name, task.name) or task.kind,
                        language=task.language,
                        systems=systems[task.name],
                        recomputed=recomputed[task.name],
                        address=addresses.board(suite.name, suite.version, query=f"only={task.name}"),
                    )
                )
    return sorted(made, key=lambda place: -place.systems)


def find_tests(versions: Sequence[SuiteVersion], what: str, language: str) -> tuple[TaskPlace | None, list[TaskPlace]]:
    """The test of most systems that asks for this, and otherwise the nearest: the same in other languages, other things in this one."""
    places = task_places(versions)
    found = best_test(places, what, language)
    if found:
        return found, []
    near = [place for place in places if place.type == what] + [place for place in places if place.language == language]
    return None, near[:NEAREST]


def best_test(places: Sequence[TaskPlace], what: str, language: str) -> TaskPlace | None:
    """The test of most systems that asks for this, where an empty word asks for anything."""
    fit = (place for place in places if (not what or place.type == what) and (not language or place.language == language))
    return next(fit, None)


def types_tested(places: Sequence[TaskPlace]) -> list[str]:
    """In the order in which types are listed; others after them."""
    present = {place.type for place in places}
    known = [name for name in task_types() if name in present]
    return [*known, *sorted(present - set(known))]


def languages_tested(places: Sequence[TaskPlace]) -> list[str]:
    counts = Counter(place.language for place in places)
    return [code for code, _count in counts.most_common()]
