"""Django's admin site for moderators, who must sign in with a second factor."""

from typing import Any

from allauth.account.authentication import get_authentication_records
from allauth.mfa.utils import is_mfa_enabled
from django.contrib.admin import AdminSite
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from gluepot.board.server.addresses import home

QUEUES: dict[str, dict[str, Any]] = {
    "FactSheet": {"state": "review"},
    "SubmittedProgram": {"permission": "asked"},
    "Suspicion": {"settled": False},
}
"""Filters of the objects that wait for a decision, by model."""
ORDER = ("submitting", "board", "accounts", "moderation")


class SecondFactorSite(AdminSite):
    """Admin site for moderators only; those without a second factor are redirected to set one up."""

    site_header = site_title = "Moderation"
    index_title = "What waits for a decision"
    enable_nav_sidebar = False

    def register(self, model_or_iterable: Any, admin_class: type[Any] | None = None, **options: Any) -> None:
        """Register only the board's own admins: changes in those of libraries (addresses, second factors) would not be in the audit log."""
        if admin_class is not None and admin_class.__module__.startswith("gluepot."):
            super().register(model_or_iterable, admin_class, **options)

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """Return the applications in ORDER, with the number of waiting objects and a link filtered to them."""
        rooms = super().get_app_list(request, app_label)
        for model in (model for room in rooms for model in room["models"]):
            if (queue := QUEUES.get(model["object_name"])) and model["admin_url"]:
                number = model["model"].objects.filter(**queue).count()
                asked = "&".join(f"{name}__exact={int(value) if isinstance(value, bool) else value}" for name, value in queue.items())
                model["name"] = f"{model['name']}: {number}"
                model["admin_url"] = f"{model['admin_url']}?{asked}"
        return sorted(rooms, key=lambda room: ORDER.index(room["app_label"]))

    def has_permission(self, request: HttpRequest) -> bool:
        return super().has_permission(request) and passed_second_factor(request)

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Redirect to the board's login form, which limits attempts and asks for the second factor, instead of showing the admin's own."""
        user = request.user
        if not user.is_authenticated:
            return redirect(f"{home()}/account/login/?next={home()}/moderation/")
        if user.is_staff and not is_mfa_enabled(user):
            return redirect(f"{home()}/account/2fa/totp/activate/?next={home()}/moderation/")
        if user.is_staff:
            return redirect(f"{home()}/account/2fa/reauthenticate/?next={home()}/moderation/")
        raise PermissionDenied


def passed_second_factor(request: HttpRequest) -> bool:
    """Return whether this session was authenticated or reauthenticated with a second factor."""
    if not is_mfa_enabled(request.user):
        return False
    return any(record.get("method") == "mfa" for record in get_authentication_records(request, request.user))
