"""gluepot: declare, check, run and rank language benchmarks.

    import gluepot

    suite = gluepot.load_suite("pocket")
    run = gluepot.evaluate("tfidf-svm", suite)
    gluepot.score("pocket/stance-sv", {"stance-sv-test-001": "neutral", …})

Names are imported lazily, on first access.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gluepot.errors import DataMissing, GluepotError, WrongUse
    from gluepot.library import InvalidPredictions, Run, compare, evaluate, load_examples, load_suite, open_run, report, score, suites
    from gluepot.records import Example, Prediction, Result, Score, Suite, Task

__version__ = "0.1.0"
__all__ = [
    "DataMissing",
    "Example",
    "GluepotError",
    "InvalidPredictions",
    "Prediction",
    "Result",
    "Run",
    "Score",
    "Suite",
    "Task",
    "WrongUse",
    "compare",
    "evaluate",
    "load_examples",
    "load_suite",
    "open_run",
    "report",
    "score",
    "suites",
]
_HOMES = {"errors": ("DataMissing", "GluepotError", "WrongUse"), "records": ("Example", "Prediction", "Result", "Score", "Suite", "Task")}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'gluepot' has no attribute {name!r}")
    from importlib import import_module

    home = next((room for room, names in _HOMES.items() if name in names), "library")
    return getattr(import_module(f"gluepot.{home}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
