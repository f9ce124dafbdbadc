"""Interface of makers: a function from inputs to items, with a description of its inputs, its options and an example."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gluepot.build.workbench import Workbench
from gluepot.registry import Registry

Row = dict[str, Any]


@dataclass(frozen=True)
class Option:
    """Option of a maker: `--name VALUE` on the command line."""

    name: str
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    least: int = 0
    """Minimum of a numeric value."""
    many: bool = False
    """Whether the option can be repeated; its value is then a list."""


@dataclass
class Item:
    """Item under construction."""

    row: Row
    """Fields of the task kind, including `target`, and additional ones worth keeping."""
    group: str
    """Group of dependent items: a split never divides it, and the bootstrap resamples it as a unit."""
    source: str
    """Origin: file and position in it."""
    ties: tuple[str, ...] = ()
    """Further constraints on splits: items with a common tie go to the same split."""
    split: str = ""
    """Split, if the maker assigns it itself."""
    id: str = ""
    """Id from the source, if it has one; otherwise it is derived from the item's content."""


@dataclass
class Product:
    """Result of a maker."""

    items: list[Item]
    kind: str
    labels: Sequence[str] = ()
    scale: tuple[float, float] | None = None
    balanced: bool = False
    """Whether the labels are balanced within every split."""
    ordered: bool = False
    """Whether items keep their order within their split."""
    whole: bool = False
    """Whether all items form a test set unless splits are requested, as for a diagnostic set."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Additional entries of `task.toml`: slices, metrics."""


@dataclass(frozen=True)
class Maker:
    """Method of constructing a task."""

    name: str
    summary: str
    takes: str
    """Description of the inputs."""
    example: str
    """A few lines of example input."""
    make: Callable[[Workbench], Product]
    options: tuple[Option, ...] = ()
    labelling: str = "By construction: the label follows from how the item was made."
    """Origin of the labels, as stated in the sheet."""
    seed: int = 0


MAKERS: Registry[Maker] = Registry("maker", home="gluepot.build.makers")


def register(maker: Maker) -> Maker:
    return MAKERS.add(maker.name, maker)
