"""Search for a test by task type and language across all suites, with the nearest alternatives."""

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
class ScoredTask:
    """A task on the board of its suite."""

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
    """Number of systems whose score was computed here."""
    address: str


def list_scored_tasks(versions: Sequence[SuiteVersion]) -> list[ScoredTask]:
    """Return all tasks with a score, from the newest version of each suite; those with most systems first."""
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
                    ScoredTask(
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


def find_tests(versions: Sequence[SuiteVersion], what: str, language: str) -> tuple[ScoredTask | None, list[ScoredTask]]:
    """Return the matching test with most systems, or else the nearest: same type in other languages, other types in this language."""
    places = list_scored_tasks(versions)
    found = best_test(places, what, language)
    if found:
        return found, []
    near = [place for place in places if place.type == what] + [place for place in places if place.language == language]
    return None, near[:NEAREST]


def best_test(places: Sequence[ScoredTask], what: str, language: str) -> ScoredTask | None:
    """Return the matching test with most systems; an empty type or language matches any."""
    fit = (place for place in places if (not what or place.type == what) and (not language or place.language == language))
    return next(fit, None)


def types_tested(places: Sequence[ScoredTask]) -> list[str]:
    """Return the task types present, in declared order; unknown ones last."""
    present = {place.type for place in places}
    known = [name for name in task_types() if name in present]
    return [*known, *sorted(present - set(known))]


def languages_tested(places: Sequence[ScoredTask]) -> list[str]:
    counts = Counter(place.language for place in places)
    return [code for code, _count in counts.most_common()]
