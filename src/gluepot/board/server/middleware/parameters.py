"""Query parameters: what each page understands. What it does not is no part of the question, unless the page tells of it."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TypeVar
from urllib.parse import unquote_plus

from django.http import HttpRequest
from django.urls import Resolver404, resolve
from django.utils.translation import get_language_from_path, override

View = TypeVar("View", bound=Callable[..., object])
TOLD = "x-unknown-parameters"
"""In the description of an API's operation, whose answer names the parameters that nobody knows."""


@dataclass(frozen=True)
class KnownParameters:
    """The names a page understands; one that ends with a dash stands for all that begin so."""

    names: frozenset[str] = frozenset()
    told: bool = False
    """Whether the page tells of others."""

    def __contains__(self, name: str) -> bool:
        return name in self.names or f"{name.partition('-')[0]}-" in self.names


def takes(*names: str, told: bool = False) -> Callable[[View], View]:
    """Say of a view which parameters it understands."""

    def mark(view: View) -> View:
        view.takes = KnownParameters(frozenset(names), told)  # type: ignore[attr-defined]
        return view

    return mark


def known_at(path: str) -> KnownParameters | None:
    """What the page at an address understands; None where there is no page."""
    with override(get_language_from_path(path) or "en"):
        try:
            found = resolve(path)
        except (Resolver404, UnicodeError):
            return None
    described = _described().get(found.route)
    return described if described is not None else getattr(found.func, "takes", KnownParameters())


def forget_unknown(request: HttpRequest, known: KnownParameters) -> bool:
    """Take the parameters that a page ignores out of its request; whether those that are left are all known."""
    query = request.META.get("QUERY_STRING", "")
    parts = [part for part in query.split("&") if part]
    left = [part for part in parts if unquote_plus(part.partition("=")[0]) in known]
    if known.told:
        return len(left) == len(parts)
    if left != parts:
        request.META["QUERY_STRING"] = "&".join(left)
    return True


@cache
def _described() -> dict[str, KnownParameters]:
    """The API's operations, by their routes as Django writes them."""
    from gluepot.board.api import api

    found = {}
    for path, operations in api.get_openapi_schema()["paths"].items():
        names = [one["name"] for one in operations["get"].get("parameters", []) if one["in"] == "query"]
        found[re.sub(r"\{(\w+)\}", r"<\1>", path).lstrip("/")] = KnownParameters(frozenset(names), TOLD in operations["get"])
    return found
