"""What a maker is: a function from inputs to items, with what it takes, its options and an example; the room does the rest."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gluepot.build.workbench import Workbench
from gluepot.registry import Registry

Row = dict[str, Any]


@dataclass(frozen=True)
class Option:
    """A setting of one maker: `--name VALUE` at the prompt."""

    name: str
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    least: int = 0
    """The least number, where it is one."""
    many: bool = False
    """Whether it may be given again; then its value is a list."""


@dataclass
class Item:
    """One example in the making."""

    row: Row
    """The kind's own fields, `target` among them, and what else is worth keeping."""
    group: str
    """What it hangs together with: no split cuts a group, and a bootstrap draws it as a whole."""
    source: str
    """Where it comes from: file and place in it."""
    ties: tuple[str, ...] = ()
    """What else no split may cut: items with a tie in common go to one side."""
    split: str = ""
    """Where the maker itself draws the splits."""
    id: str = ""
    """Where the source has one; otherwise it is made from what the item says."""


@dataclass
class Product:
    """What a maker hands over."""

    items: list[Item]
    kind: str
    labels: Sequence[str] = ()
    scale: tuple[float, float] | None = None
    balanced: bool = False
    """Whether every split shall have as many items of each label."""
    ordered: bool = False
    """Whether the items stay in the order in which they come within their split."""
    whole: bool = False
    """Whether it is a test set as a whole where nobody asks for splits: a diagnostic."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """More of `task.toml`: slices, metrics."""


@dataclass(frozen=True)
class Maker:
    """A way to make a task."""

    name: str
    summary: str
    takes: str
    """What the inputs are."""
    example: str
    """A few lines of such an input."""
    make: Callable[[Workbench], Product]
    options: tuple[Option, ...] = ()
    labelling: str = "By construction: the label follows from how the item was made."
    """How the sheet tells where the answers come from."""
    seed: int = 0


MAKERS: Registry[Maker] = Registry("maker", home="gluepot.build.makers")


def register(maker: Maker) -> Maker:
    return MAKERS.add(maker.name, maker)
