"""Read-only JSON API of the board, described by OpenAPI; errors use the same wording as the pages."""

from typing import Any

import msgspec
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import ValidationError
from ninja.renderers import BaseRenderer

from gluepot import __version__
from gluepot.board.api import scores, snapshots, suites, systems


class Json(BaseRenderer):
    """Renderer of standard JSON: NaN and infinities become null."""

    media_type = "application/json"

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> bytes:
        return msgspec.json.encode(data, enc_hook=str)


class DescribedAPI(NinjaAPI):
    """API whose OpenAPI document is built once per process: that takes half a second, and it never changes."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.documents: dict[str, Any] = {}

    def get_openapi_schema(self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None) -> Any:
        key = repr((path_prefix, path_params))
        if key not in self.documents:
            self.documents[key] = super().get_openapi_schema(path_prefix=path_prefix, path_params=path_params)
        return self.documents[key]


api = DescribedAPI(
    title="gluepot",
    version=__version__,
    description="Suites, systems, scores and snapshots of this board, as its pages show them.",
    docs_url=None,
    renderer=Json(),
)
for room in (suites, systems, scores, snapshots):
    api.add_router("", room.router, tags=[room.__name__.rpartition(".")[2]])


def problem(request: HttpRequest, reason: str, status: int) -> HttpResponse:
    """Return an error response with the reason in one sentence."""
    return api.create_response(request, {"detail": reason}, status=status)


@api.exception_handler(Http404)
def not_found(request: HttpRequest, error: Any) -> HttpResponse:
    return problem(request, str(error), 404)


@api.exception_handler(ValidationError)
def not_valid(request: HttpRequest, error: Any) -> HttpResponse:
    return problem(request, describe_validation_errors(error), 422)


def describe_validation_errors(error: Any) -> str:
    """Describe all invalid parameters, in one sentence each."""
    return " ".join(map(_sentence, error.errors))


def _sentence(one: dict[str, Any]) -> str:
    """Describe one invalid parameter.

    >>> _sentence({"loc": ("query", "limit"), "msg": "Input should be less than or equal to 500"})
    'limit: input should be less than or equal to 500.'
    """
    text = one["msg"].removeprefix("Value error, ")
    return f"{one['loc'][-1]}: {text[:1].lower()}{text[1:]}."
