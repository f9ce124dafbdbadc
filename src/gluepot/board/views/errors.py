"""Error pages: the reason in one sentence and a way back; JSON under /api/."""

import sys
from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect, JsonResponse
from django.shortcuts import render
from django.urls import is_valid_path
from django.utils.http import escape_leading_slashes
from django.utils.translation import get_language_from_path, override
from django.utils.translation import gettext as _

from gluepot.board.server.outages import RETRY, is_outage


def not_found(request: HttpRequest, exception: Any) -> HttpResponse:
    """404, with the message of the view; a URL with a superfluous trailing slash is redirected permanently."""
    plain = request.path_info.rstrip("/")
    if request.path_info.endswith("/") and request.method in ("GET", "HEAD") and is_valid_path(plain):
        return HttpResponsePermanentRedirect(escape_leading_slashes(request.get_full_path().replace(request.path_info, plain, 1)))
    said = exception.args[0] if exception.args else ""
    told = said if isinstance(said, str) and said else _("There is nothing at this address.")
    return _error(request, 404, told, getattr(exception, "near", None))


def bad_request(request: HttpRequest, exception: Any) -> HttpResponse:
    """400: the request was rejected by Django before reaching a view."""
    return _error(request, 400, _("This request cannot be understood."))


def forged(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403 for CSRF failures: the form comes from another site or is too old."""
    return _error(
        request, 403, _("This form is too old, or did not come from this board. Go back, load the page again and send it once more.")
    )


def denied(request: HttpRequest, exception: Any) -> HttpResponse:
    """403: the resource belongs to another account."""
    return _error(request, 403, _("You have no access to this."))


def wrong_method(request: HttpRequest, allowed: Sequence[str]) -> HttpResponse:
    """405, sent before any middleware has activated the language."""
    methods = ", ".join(allowed)
    with _language_of(request):
        response = _error(request, 405, _("This board is read-only. Allowed methods: %(methods)s.") % {"methods": methods})
    response.headers["Allow"] = methods
    return response


def too_large(request: HttpRequest, limit: int) -> HttpResponse:
    """413, sent before any middleware has activated the language; the body was not read."""
    size = f"{limit / 2**20:.0f} MB" if limit >= 2**20 else f"{limit / 2**10:.0f} kB"
    with _language_of(request):
        told = _("This is larger than the %(size)s that can be sent here, so it was not read. Send fewer files, or pack them into a zip.")
        return _error(request, 413, told % {"size": size})


def failed(request: HttpRequest) -> HttpResponse:
    """500: internal error; the traceback is in the log. 503 during a database outage."""
    if is_outage(sys.exc_info()[1]):
        return _away(request)
    return _error(request, 500, _("An error occurred on this board. It was logged; please try again later."))


def _away(request: HttpRequest) -> HttpResponse:
    with _language_of(request):
        response = _error(request, 503, _("The board's database does not answer at the moment. Please try again in a few seconds."))
    response.headers["Retry-After"] = str(RETRY)
    response.headers["Cache-Control"] = "no-store"
    return response


def _language_of(request: HttpRequest) -> override:
    """Activate the language of the URL for requests that no middleware has processed."""
    return override(get_language_from_path(request.path_info) or "en")


def _error(request: HttpRequest, status: int, reason: str, near: Any = None) -> HttpResponse:
    if request.path.startswith("/api/"):
        return JsonResponse({"detail": reason}, status=status)
    return render(request, f"{status}.html", {"reason": reason, "near": near}, status=status)
