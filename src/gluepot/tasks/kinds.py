"""Task kinds: which inputs an item has and which form its answer takes. One module beside this one declares each."""

from dataclasses import dataclass

from gluepot.registry import Registry
from gluepot.tasks.answers import Answer


@dataclass(frozen=True)
class Kind:
    """A kind of task, shared by every adapter, reader and page."""

    name: str
    summary: str
    answer: Answer
    inputs: tuple[str, ...]
    """Fields that every item has."""
    optional: tuple[str, ...] = ()
    texts: tuple[str, ...] = ("text",)
    """The inputs that hold running text, for the checks and for models that read it."""

    revealing: tuple[str, ...] = ()
    """Fields that give the answer away: for training and checks, never shown to a model that is asked."""

    @property
    def fields(self) -> tuple[str, ...]:
        """All names that `[fields]` of a task of this kind may use."""
        return (*self.inputs, *self.optional, "id", "target", "group")


KINDS: Registry[Kind] = Registry("task kind")


def declare(kind: Kind) -> Kind:
    return KINDS.add(kind.name, kind)
