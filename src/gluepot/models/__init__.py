"""Model adapters: the protocols that they implement, and their construction from model names."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from gluepot.errors import GluepotError
from gluepot.models.names import ModelName as ModelName
from gluepot.models.names import parse_model as parse_model
from gluepot.models.registration import ADAPTERS as ADAPTERS
from gluepot.models.registration import SUITE_BASELINES as SUITE_BASELINES
from gluepot.models.registration import AdapterInfo as AdapterInfo
from gluepot.records import Example, Prediction, Suite, Task

if TYPE_CHECKING:
    from gluepot.models.protocols import Settings


class CannotSolve(GluepotError):
    """Raised when an adapter cannot solve a task, or not with the available training data; the message gives the reason."""


class Adapter(Protocol):
    """A model that learns a task from examples and answers others. One instance serves one task and one seed.

    `predict` must return the same prediction for an item regardless of its batch, so that a resumed run equals an
    uninterrupted one. An optional attribute `unknown` counts the items that were only guessed.
    """

    def fit(self, task: Task, train: Sequence[Example], dev: Sequence[Example]) -> None:
        """Train on the examples; `train` is empty where a task has no training data. Raises CannotSolve."""
        ...

    def predict(self, task: Task, examples: Sequence[Example]) -> list[Prediction]:
        """Return one prediction per example, in order; `task` may be a diagnostic of the task that was learned."""
        ...


class Streaming(Adapter, Protocol):
    """An adapter that yields its predictions one by one while it works; they are stored as they arrive."""

    def stream(self, task: Task, examples: Sequence[Example]) -> Iterator[Prediction]: ...


class ShotDrawing(Adapter, Protocol):
    """An adapter that draws few-shot examples, and its own bootstraps, from the data that it is fitted with."""

    def avoid(self, texts: set[tuple[str, ...]]) -> None:
        """Exclude examples with any of these texts from the shots: they are evaluation items."""
        ...


@contextmanager
def libraries_of(info: AdapterInfo) -> Iterator[None]:
    """Turn a missing library that the adapter imports into an error that says which extra provides it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if not info.needs or not error.name or error.name.startswith("gluepot"):
            raise
        brings = f"gluepot[{info.needs}]" if info.code.startswith("gluepot.") else info.needs
        raise GluepotError(f"{info.name} needs {error.name}: pip install '{brings}'.") from error


def make_adapter(
    model: ModelName, seed: int = 0, settings: "Settings | None" = None, *, suite: Suite | None = None, split: str = ""
) -> Any:
    """Return a new adapter with the arguments that it declares; its libraries are imported only now."""
    info = model.info
    if info.live:
        return model.made
    module, _, name = info.code.partition(":")
    with libraries_of(info):
        maker = getattr(import_module(module), name)
    more: dict[str, Any] = {"settings": settings} if info.tuned else {}
    more |= {"suite": suite, "split": split} if info.reads_answers else {}
    return maker(model.adapter, model.argument, seed, **more, **dict(model.settings))
