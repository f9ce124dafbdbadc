"""Registries of named extensions (metrics, task kinds, readers, formats), with lookup errors that suggest the nearest name."""

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Generic, TypeVar

from gluepot.errors import WrongUse, unknown
from gluepot.plugins import load_plugins, package_of

T = TypeVar("T")
_REGISTERING: set[str] = set()
"""Modules that have registered something in any registry."""


class Registry(Generic[T]):
    """Mapping from public names to objects of one type. Plug-ins are imported if a name is unknown without them.

    `home` is the module that registers gluepot's own entries, if it lies in a higher layer than the registry.

    >>> shapes: Registry[int] = Registry("shape")
    >>> shapes.add("square", 4)
    4
    >>> shapes["square"]
    4
    """

    def __init__(self, what: str, plugins: str = "gluepot", home: str = "") -> None:
        self.what, self.plugins, self.home = what, plugins, home
        self._things: dict[str, T] = {}
        self._modules: dict[str, str] = {}
        """Name to the module that registered it."""

    def add(self, name: str, thing: T) -> T:
        self._fetch_home()  # so that no plug-in takes the name of an own entry by registering earlier
        module = _registering_module()
        if name in self._things:
            both = f"by {package_of(self._modules[name])} and by {package_of(module)}"
            raise ValueError(f"{self.what} {name!r} is registered twice: {both}")
        self._things[name], self._modules[name] = thing, module
        _REGISTERING.add(module)
        return thing

    def register(self, name: str) -> Callable[[T], T]:
        """Return a decorator that registers its argument under `name`."""
        return lambda thing: self.add(name, thing)

    def __getitem__(self, name: str) -> T:
        if name not in self:
            raise WrongUse(unknown(self.what, name, self._things))
        return self._things[name]

    def get(self, name: str) -> T | None:
        return self._things[name] if name in self else None

    def __contains__(self, name: object) -> bool:
        if name not in self._things:
            self._fetch_home()
        if name not in self._things:
            load_plugins(self.plugins)
        return name in self._things

    def __iter__(self) -> Iterator[str]:
        self._fetch_all()
        return iter(sorted(self._things))

    def __len__(self) -> int:
        self._fetch_all()
        return len(self._things)

    def _fetch_all(self) -> None:
        self._fetch_home()
        load_plugins(self.plugins)

    def _fetch_home(self) -> None:
        if self.home:
            import_module(self.home)


def has_registered(module: str) -> bool:
    """Whether a module has registered something in any registry."""
    return module in _REGISTERING


def _registering_module() -> str:
    """Return the name of the registering module: the nearest caller outside this one."""
    frame = sys._getframe(1)
    while frame.f_globals["__name__"] == __name__ and frame.f_back:
        frame = frame.f_back
    return str(frame.f_globals["__name__"])
