"""Pages for what went wrong: the reason in a sentence, and the way back; for programs the same as JSON."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _


def not_found(request: HttpRequest, exception: Any) -> HttpResponse:
    """404, with the sentence that the view gave."""
    said = exception.args[0] if exception.args else ""
    return _error(request, 404, said if isinstance(said, str) and said else _("There is nothing at this address."))


def bad_request(request: HttpRequest, exception: Any) -> HttpResponse:
    """400: what Django refuses before any page is asked."""
    return _error(request, 400, _("This request cannot be understood."))


def failed(request: HttpRequest) -> HttpResponse:
    """500: our fault; the reason is in the log."""
    return _error(request, 500, _("The board made a mistake. It was written down; please try again later."))


def _error(request: HttpRequest, status: int, reason: str) -> HttpResponse:
    if request.path.startswith("/api/"):
        return JsonResponse({"detail": reason}, status=status)
    return render(request, f"{status}.html", {"reason": reason}, status=status)
