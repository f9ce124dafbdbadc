"""Errata: published figures and claims that cannot be right, each recomputed from what is here. Plug-ins register them by suite."""

from collections.abc import Callable, Mapping

from gluepot.board.errata.claims import Erratum
from gluepot.plugins import load_plugins

__all__ = ["Erratum", "claims", "claims_about", "register_errata"]

Maker = Callable[[], Erratum]
_errata: dict[Maker, tuple[str, ...]] = {}
"""Each with the tasks that it concerns, in the order of the page."""


def register_errata(makers: Mapping[Maker, tuple[str, ...]]) -> None:
    """Add what is known to be wrong, each with the tasks (`suite/task`) that it concerns."""
    _errata.update(makers)


def makers() -> dict[Maker, tuple[str, ...]]:
    """All that are registered, those of plug-ins among them."""
    load_plugins("gluepot.board")
    return dict(_errata)


def claims() -> list[Erratum]:
    """All of them."""
    return [make() for make in makers()]


def claims_about(suite: str, task: str) -> list[Erratum]:
    """Those that concern a task."""
    return [make() for make, tasks in makers().items() if f"{suite}/{task}" in tasks]
