"""Errata: published figures and claims that cannot be right, recomputed from the available data; plug-ins register them by suite."""

from collections.abc import Callable, Mapping

from gluepot.board.errata.claims import Erratum
from gluepot.plugins import load_plugins

__all__ = ["Erratum", "claims", "claims_about", "register_errata"]

Maker = Callable[[], Erratum]
_errata: dict[Maker, tuple[str, ...]] = {}
"""Errata makers with the tasks that they concern, in page order."""


def register_errata(makers: Mapping[Maker, tuple[str, ...]]) -> None:
    """Register errata makers, each with the tasks (`suite/task`) that it concerns."""
    _errata.update(makers)


def makers() -> dict[Maker, tuple[str, ...]]:
    """Return all registered makers, including those of plug-ins."""
    load_plugins("gluepot.board")
    return dict(_errata)


def claims() -> list[Erratum]:
    """Return all errata."""
    return [make() for make in makers()]


def claims_about(suite: str, task: str) -> list[Erratum]:
    """Return the errata that concern a task."""
    return [make() for make, tasks in makers().items() if f"{suite}/{task}" in tasks]
