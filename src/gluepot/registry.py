"""Named things that are plugged in (metrics, task kinds, readers, formats), found by name with helpful errors."""

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from gluepot.errors import WrongUse, unknown
from gluepot.plugins import load_plugins

T = TypeVar("T")


class Registry(Generic[T]):
    """A mapping from public names to things of one sort. Plug-ins are imported when a name is not known without them.

    >>> shapes: Registry[int] = Registry("shape")
    >>> shapes.add("square", 4)
    4
    >>> shapes["square"]
    4
    """

    def __init__(self, what: str, plugins: str = "gluepot") -> None:
        self.what, self.plugins = what, plugins
        self._things: dict[str, T] = {}

    def add(self, name: str, thing: T) -> T:
        if name in self._things:
            raise ValueError(f"{self.what} {name!r} is registered twice")
        self._things[name] = thing
        return thing

    def register(self, name: str) -> Callable[[T], T]:
        """A decorator that adds what it decorates under `name`."""
        return lambda thing: self.add(name, thing)

    def __getitem__(self, name: str) -> T:
        if name not in self:
            raise WrongUse(unknown(self.what, name, self._things))
        return self._things[name]

    def __contains__(self, name: object) -> bool:
        if name not in self._things:
            load_plugins(self.plugins)
        return name in self._things

    def __iter__(self) -> Iterator[str]:
        load_plugins(self.plugins)
        return iter(sorted(self._things))

    def __len__(self) -> int:
        load_plugins(self.plugins)
        return len(self._things)
