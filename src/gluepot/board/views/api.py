"""API reference page: every endpoint with its parameters, response fields and an example, generated from the OpenAPI document."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse

from gluepot.board.api import api
from gluepot.board.models import Snapshot, SuiteVersion, System
from gluepot.board.views import render_page

QUERIES = {
    "/api/suites/{suite}/{version}/standings": "?tasks={task}&pmax=150M",
    "/api/systems": "?search=bert&limit=10",
    "/api/scores": "?suite={suite}&task={task}&verified=true",
}
"""Example query per endpoint."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of an endpoint."""

    name: str
    place: str
    type: str
    about: str
    limits: str


@dataclass(frozen=True)
class Endpoint:
    """An endpoint of the API."""

    path: str
    summary: str
    about: str
    parameters: list[Parameter]
    fields: list[tuple[str, str, str]]
    """Name, type and description of each response field."""
    example: str


@dataclass(frozen=True)
class Api:
    """Data shown on the API page."""

    openapi: str
    endpoints: list[Endpoint]


def describe(schema: dict[str, Any], names: dict[str, str]) -> Api:
    """Build the page from an OpenAPI document, with `names` substituted in its examples."""
    return Api("/api/openapi.json", [_endpoint(path, item["get"], schema, names) for path, item in schema["paths"].items()])


def known_names() -> dict[str, str]:
    """Return a suite, task, system and snapshot of this board, so that the examples work."""
    version = SuiteVersion.objects.order_by("-pk").first()
    system = System.objects.filter(role=System.Role.SYSTEM).order_by("pk").first()
    snapshot = Snapshot.objects.order_by("-made").first()
    return {
        "suite": version.name if version else "SUITE",
        "version": version.version if version else "VERSION",
        "task": version.declaration["order"][0] if version else "TASK",
        "slug": system.slug if system else "SYSTEM",
        "key": snapshot.key if snapshot else "KEY",
    }


def _endpoint(path: str, item: dict[str, Any], schema: dict[str, Any], names: dict[str, str]) -> Endpoint:
    answered = item["responses"][200]["content"]["application/json"]["schema"]
    return Endpoint(
        path=path,
        summary=item["summary"],
        about=item.get("description", ""),
        parameters=[_parameter(one) for one in item.get("parameters", [])],
        fields=_fields(answered, schema),
        example=f'curl "$BOARD{(path + QUERIES.get(path, "")).format(**names)}"',
    )


def _parameter(one: dict[str, Any]) -> Parameter:
    shape = one["schema"]
    parts = {"ge": shape.get("minimum"), "le": shape.get("maximum"), "default": shape.get("default")}
    signs = {"ge": "≥ ", "le": "≤ ", "default": "= "}
    limits = ", ".join(f"{signs[name]}{value}".lower() for name, value in parts.items() if value is not None)
    return Parameter(one["name"], one["in"], _type(shape), one.get("description") or shape.get("description", ""), limits)


def _fields(shape: dict[str, Any], schema: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return the fields of a response, or those of its items if it is a list."""
    known = schema["components"]["schemas"]
    while "properties" not in shape:
        shape = shape["items"] if "items" in shape else known[shape["$ref"].rpartition("/")[2]]
    items = shape["properties"].get("items")
    if items is not None:
        return _fields(items, schema)
    return [(name, _type(field), field.get("description", "")) for name, field in shape["properties"].items()]


def _type(shape: dict[str, Any]) -> str:
    """Describe a JSON type in words.

    >>> _type({"anyOf": [{"type": "number"}, {"type": "null"}]}), _type({"type": "array", "items": {"type": "string"}})
    ('number or null', 'list of string')
    """
    if "anyOf" in shape:
        return " or ".join(_type(one) for one in shape["anyOf"])
    if shape.get("type") == "array":
        return f"list of {_type(shape['items'])}" if "items" in shape else "list"
    if "$ref" in shape:
        return str(shape["$ref"].rpartition("/")[2])
    return str(shape.get("format") or shape.get("type", "any"))


def view(request: HttpRequest) -> HttpResponse:
    return render_page(request, describe(api.get_openapi_schema(), known_names()), "api")
