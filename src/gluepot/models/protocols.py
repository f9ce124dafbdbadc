"""Training protocols: those that suites declare with their reference results, those of plug-ins, and `quick`."""

from itertools import product
from typing import Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from gluepot.errors import WrongUse, unknown
from gluepot.models import CannotSolve
from gluepot.records import Suite, Task, TrainingProtocol
from gluepot.registry import Registry
from gluepot.tasks.declarations import load_suites, training_of

T = TypeVar("T")

QUICK = "quick"
OWN = "suite"
"""Command-line name for the suite's own protocol."""
PROTOCOLS: Registry[TrainingProtocol] = Registry("protocol")
"""Protocols that no suite declares."""


class DivergedTraining(CannotSolve):
    """Raised when the training loss is no longer a number, despite all retries."""


class Settings(Struct, frozen=True):
    """One configuration: everything that determines the training of a model besides the data and the seed."""

    protocol: str = QUICK
    learning_rate: float = 5e-5
    batch_size: int = 16
    epochs: int = 3
    max_steps: int | None = None
    warmup: float = 0.1
    """Fraction of all steps in which the learning rate rises."""
    weight_decay: float = 0.01
    evaluate_every: int | None = None
    """Steps between evaluations on the development data; an epoch if None."""
    patience: int | None = None
    """Evaluations without improvement before training stops."""
    select: Literal["score", "loss", "last"] = "score"
    """State to select: the best by the ranking metric, the one with the lowest loss, or the last."""
    max_length: int | None = None
    choice: Literal["softmax", "binary"] = "softmax"
    """Whether an item's options are scored against each other or independently."""
    first_seed: int = 0
    """Offset added to the seed number."""
    by_width: bool = False
    """Whether the learning rate applies to models of width 768 and is scaled for others: small ones need a larger one."""

    def __str__(self) -> str:
        return f"learning rate {self.learning_rate:g}, batch {self.batch_size}"


class Protocol(Struct, frozen=True):
    """A protocol as it applies to one task."""

    name: str
    settings: Settings
    configurations: tuple[Settings, ...] = ()
    """Configurations of the search; empty where nothing is searched."""
    runs: int = 1
    """Number of runs with different seeds."""
    bootstraps: int = 0
    """Resamples of the whole data, each with a run; 0 for the data as it is."""


def protocol_name(name: str, suite: Suite) -> str:
    """Resolve a protocol name, including the alias for the suite's own."""
    if name == OWN:
        return _name(suite) if suite.training else QUICK
    return name if name == QUICK or name in PROTOCOLS else _name(_declaring(name, suite))


def find_protocol(name: str, suite: Suite, task: Task) -> Protocol:
    """Return a protocol with the values that a suite declares, overridden by those of the task."""
    name = protocol_name(name, suite)
    if name == QUICK:
        return Protocol(QUICK, Settings(by_width=True))
    training = _training(name, suite, task)
    settings = _settings(name, training)
    grid = tuple(
        replace(settings, learning_rate=rate, batch_size=size)
        for rate, size in product(_several(training.learning_rate), _several(training.batch_size))
    )
    runs = 1 if training.bootstraps else training.runs
    return Protocol(name, grid[0], grid if len(grid) > 1 else (), runs, training.bootstraps)


def resamples(name: str, suite: Suite) -> bool:
    """Return whether a protocol bootstraps the data, which any model supports."""
    return name != QUICK and _training(name, suite).bootstraps > 0


def _training(name: str, suite: Suite, task: Task | None = None) -> TrainingProtocol:
    """Return a protocol's values, with the task's overrides in its own suite. A suite's own declaration takes precedence over plug-ins."""
    if not (suite.training and _name(suite) == name) and name in PROTOCOLS:
        return PROTOCOLS[name]
    source = _declaring(name, suite)
    own = training_of(source, task) if task and source.name == suite.name else source.training
    assert own is not None, "a suite that declares a protocol"
    return own


def _declaring(name: str, suite: Suite) -> Suite:
    """Return the suite that declares a protocol: this one, or any other."""
    if suite.training and _name(suite) == name:
        return suite
    others = {_name(other): other for other in load_suites() if other.training}
    if name not in others:
        raise WrongUse(unknown("protocol", name, [OWN, QUICK, *PROTOCOLS, *others]))
    return others[name]


def _name(suite: Suite) -> str:
    return (suite.training.name if suite.training else "") or suite.name


def _settings(name: str, training: TrainingProtocol) -> Settings:
    return Settings(
        protocol=name,
        epochs=training.epochs,
        max_steps=training.max_steps,
        warmup=training.warmup_ratio,
        weight_decay=training.weight_decay,
        evaluate_every=training.evaluate_every,
        patience=training.patience,
        select=training.select,
        max_length=training.max_length,
        choice=training.choice,
        first_seed=training.seed,
    )


def _several(value: T | list[T]) -> list[T]:
    return value if isinstance(value, list) else [value]
