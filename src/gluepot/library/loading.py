"""Loading of suites, tasks and examples, by name or by path."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gluepot.data import examples as data_examples
from gluepot.data.folders import split_name
from gluepot.errors import WrongUse
from gluepot.records import Example, Suite, Task
from gluepot.records.tabular import Tabular, even_rows
from gluepot.tasks import declarations
from gluepot.tasks.declarations import find

Place = str | Path | Suite | Task
"""A suite or a task: by its name (`pocket/stance-sv`), by the path of its folder, or as a loaded object."""


class Suites(Tabular, list[Suite]):
    """List of suites, displayed as a table."""

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per task."""
        return [
            {
                "suite": suite.name,
                "version": suite.version,
                "task": task.name,
                "kind": task.kind,
                "language": task.language,
                "metric": task.metrics[0],
                "license": task.license,
            }
            for suite in self
            for task in suite.tasks.values()
        ]


class Examples(Tabular, list[Example]):
    """List of the items of a split, displayed as a table."""

    def __init__(self, examples: Iterable[Example], caption: str) -> None:
        super().__init__(examples)
        self._caption = caption

    @property
    def caption(self) -> str:
        return self._caption

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per item: its id, its inputs, its gold answer and group."""
        return even_rows([{"id": e.id, **e.inputs, "target": e.target, "group": e.group} for e in self])


def suites() -> Suites:
    """Return all suites on the search path.

    >>> "pocket" in [suite.name for suite in suites()]
    True
    """
    return Suites(declarations.load_suites())


def load_suite(place: str | Path | Suite) -> Suite:
    """Load a suite with its tasks, by name or by the path of its folder.

    >>> load_suite("pocket").tasks["stance-sv"].labels
    ['positive', 'neutral', 'negative']
    """
    return place if isinstance(place, Suite) else declarations.load_suite(place)


def load_examples(place: str | Path | Task, split: str | None = None) -> Examples:
    """Load the items of a split (by default, the one that the suite scores), with gold answers if they are public.

    >>> load_examples("pocket/stance-sv", "dev")[0].inputs["text"]
    'Restaurangens fisksoppa var fantastiskt god.'
    """
    suite, task = resolve(place)
    if task is None:
        raise WrongUse(f"{place} is a suite: name a task, as in {suite.name}/{next(iter(suite.tasks))}.")
    name = split_name(task, split or suite.score_split)
    return Examples(data_examples.load_examples(task, name), f"{task.path}, {name}")


def resolve(place: Place) -> tuple[Suite, Task | None]:
    """Return the suite, and the task or None for a whole suite."""
    if isinstance(place, Suite):
        return place, None
    if isinstance(place, Task):
        suite = declarations.read_suite(Path(place.folder).parent)
        return suite, place
    return find(str(place))
