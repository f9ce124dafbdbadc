"""Query parameters accepted by each page; unknown ones are dropped, unless the page reports them."""

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
"""Key in the OpenAPI description of an operation whose response lists unknown parameters."""


@dataclass(frozen=True)
class KnownParameters:
    """Parameter names accepted by a page; a name that ends with a dash is a prefix."""

    names: frozenset[str] = frozenset()
    told: bool = False
    """Whether the page reports unknown parameters."""

    def __contains__(self, name: str) -> bool:
        return name in self.names or f"{name.partition('-')[0]}-" in self.names


def accepts_parameters(*names: str, told: bool = False) -> Callable[[View], View]:
    """Mark a view with the parameters that it accepts."""

    def mark(view: View) -> View:
        view.takes = KnownParameters(frozenset(names), told)  # type: ignore[attr-defined]
        return view

    return mark


def known_at(path: str) -> KnownParameters | None:
    """Return the parameters accepted at a path; None if there is no page."""
    with override(get_language_from_path(path) or "en"):
        try:
            found = resolve(path)
        except (Resolver404, UnicodeError):
            return None
    described = _described().get(found.route)
    return described if described is not None else getattr(found.func, "takes", KnownParameters())


def forget_unknown(request: HttpRequest, known: KnownParameters) -> bool:
    """Drop unknown parameters from the request unless the page reports them; return whether all remaining ones are known."""
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
    """Return the parameters of the API's operations, by route in Django's syntax."""
    from gluepot.board.api import api

    found = {}
    for path, operations in api.get_openapi_schema()["paths"].items():
        names = [one["name"] for one in operations["get"].get("parameters", []) if one["in"] == "query"]
        found[re.sub(r"\{(\w+)\}", r"<\1>", path).lstrip("/")] = KnownParameters(frozenset(names), TOLD in operations["get"])
    return found
