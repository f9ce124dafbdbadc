"""How a model is trained: the protocols that the suites declare with their reference results, those that plug-ins bring, and `quick`."""

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
"""The name at the prompt for whatever protocol the suite has."""
PROTOCOLS: Registry[TrainingProtocol] = Registry("protocol")
"""Those that no suite declares."""


class DivergedTraining(CannotSolve):
    """A training whose loss is no longer a number, whatever was tried."""


class Settings(Struct, frozen=True):
    """One configuration: all that decides how a model is trained, besides the data and the seed."""

    protocol: str = QUICK
    learning_rate: float = 5e-5
    batch_size: int = 16
    epochs: int = 3
    max_steps: int | None = None
    warmup: float = 0.1
    """Part of all steps in which the learning rate rises."""
    weight_decay: float = 0.01
    evaluate_every: int | None = None
    """Steps between looks at the development data; an epoch if None."""
    patience: int | None = None
    """Looks without gain before training stops."""
    select: Literal["score", "loss", "last"] = "score"
    """Which state is kept: the best by the metric that ranks, the one of least loss, or the last."""
    max_length: int | None = None
    choice: Literal["softmax", "binary"] = "softmax"
    """Whether an item's options are judged against each other or each by itself."""
    first_seed: int = 0
    """Added to the number of the seed."""
    by_width: bool = False
    """Whether the learning rate is meant for 768 wide models, and scaled for others: small ones want a larger one."""

    def __str__(self) -> str:
        return f"learning rate {self.learning_rate:g}, batch {self.batch_size}"


class Protocol(Struct, frozen=True):
    """A protocol as it applies to one task."""

    name: str
    settings: Settings
    configurations: tuple[Settings, ...] = ()
    """What a search tries; empty where nothing is searched."""
    runs: int = 1
    """Runs with different seeds."""
    bootstraps: int = 0
    """Resamples of the whole data, each with a run; 0 for the data as it is."""


def protocol_name(name: str, suite: Suite) -> str:
    """The protocol that is meant: by its name, or as the suite's own."""
    if name == OWN:
        return _name(suite) if suite.training else QUICK
    return name if name == QUICK or name in PROTOCOLS else _name(_declaring(name, suite))


def find_protocol(name: str, suite: Suite, task: Task) -> Protocol:
    """A protocol with the values that a suite declares, and the task's own where it departs from them."""
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
    """Whether a protocol bootstraps the data, which any model can take part in."""
    return name != QUICK and _training(name, suite).bootstraps > 0


def _training(name: str, suite: Suite, task: Task | None = None) -> TrainingProtocol:
    """What a protocol says, in its own suite also of the task. What a suite declares is what its name means there."""
    if not (suite.training and _name(suite) == name) and name in PROTOCOLS:
        return PROTOCOLS[name]
    source = _declaring(name, suite)
    own = training_of(source, task) if task and source.name == suite.name else source.training
    assert own is not None, "a suite that declares a protocol"
    return own


def _declaring(name: str, suite: Suite) -> Suite:
    """The suite that declares a protocol: this one, or any other."""
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
