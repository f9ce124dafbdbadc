"""How a model is trained: the protocols that the suites declare with their reference results, and `quick`."""

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from gluepot.errors import WrongUse, unknown
from gluepot.models import CannotSolve
from gluepot.records import Suite, Task
from gluepot.tasks.declarations import load_suite

DECLARED = {
    "superlim": ("superlim", "fine-tuning"),
    "basqueglue": ("basqueglue", "fine-tuning"),
    "russian-superglue": ("russian-superglue", "fine-tuning"),
    "scandeval": ("scandeval-da", "encoder"),
}
"""A protocol's name to the suite that declares it and the table below `[protocol]`."""
QUICK = "quick"
RESAMPLING = "scandeval"
"""The protocol that bootstraps the data, which any model can take part in."""
OWN = "suite"
"""The name at the prompt for whatever protocol the suite has."""


class Diverged(CannotSolve):
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


def protocol_name(name: str, suite: str) -> str:
    """The protocol that is meant: by its name, or as the suite's own.

    >>> protocol_name("suite", "scandeval-da"), protocol_name("suite", "pocket")
    ('scandeval', 'quick')
    """
    if name == OWN:
        return next((own for own, (place, _) in DECLARED.items() if place == suite), QUICK)
    if name != QUICK and name not in DECLARED:
        raise WrongUse(unknown("protocol", name, [OWN, QUICK, *DECLARED]))
    return name


def find_protocol(name: str, task: Task) -> Protocol:
    """A protocol with the values that its suite declares, and the task's own where it departs from them."""
    name = protocol_name(name, task.suite)
    if name == QUICK:
        return Protocol(QUICK, Settings(by_width=True))
    suite, table = DECLARED[name]
    declared = _merged(load_suite(suite), table, task)
    settings = _settings(name, declared)
    grid = [
        replace(settings, learning_rate=rate, batch_size=size)
        for rate, size in product(_several(declared["learning-rate"]), _several(declared["batch-size"]))
    ]
    bootstraps = int(load_suite(suite).protocol.get("bootstraps", 0))
    return Protocol(name, grid[0], tuple(grid) if len(grid) > 1 else (), int(declared.get("runs", 1)) if not bootstraps else 1, bootstraps)


def _merged(suite: Suite, table: str, task: Task) -> dict[str, Any]:
    """The suite's table with what the task says otherwise, if the task is of that suite."""
    own = task.protocol.get(table, {}) if task.suite == suite.name else {}
    return {**suite.protocol[table], **own}


def _settings(name: str, declared: Mapping[str, Any]) -> Settings:
    """What the table names in our words; where it is silent, the Hugging Face Trainer's defaults that the papers rely on."""
    by_loss = "max-steps" in declared
    return Settings(
        protocol=name,
        epochs=int(declared.get("epochs", 1_000)),
        max_steps=declared.get("max-steps"),
        warmup=float(declared.get("warmup-ratio", 0.0)),
        weight_decay=float(declared.get("weight-decay", 0.0)),
        evaluate_every=declared.get("evaluate-every"),
        patience=declared.get("patience", declared.get("early-stopping")),
        select="loss" if by_loss else "score",
        max_length=declared.get("max-length"),
        choice="binary" if "binary" in str(declared.get("choice", "")) else "softmax",
        first_seed=int(load_suite(DECLARED[name][0]).protocol.get("seed", 0)),
    )


def _several(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list) else [value]
