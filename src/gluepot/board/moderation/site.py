"""Django's admin for moderators, who must have signed in with a second factor."""

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
"""What waits, of the models that somebody decides on."""
ORDER = ("submitting", "board", "accounts", "moderation")


class SecondFactorSite(AdminSite):
    """Whoever is no moderator sees nothing; whoever has no second factor is sent to set one up."""

    site_header = site_title = "Moderation"
    index_title = "What waits for a decision"
    enable_nav_sidebar = False

    def register(self, model_or_iterable: Any, admin_class: type[Any] | None = None, **options: Any) -> None:
        """Only what the board brings: what libraries would let moderators change (addresses, second factors) is in no trail."""
        if admin_class is not None and admin_class.__module__.startswith("gluepot."):
            super().register(model_or_iterable, admin_class, **options)

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """What waits comes first, with its number; a link to it leads to those that wait."""
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
        """No password form of its own: the board's has limits on attempts, and asks for the second factor."""
        user = request.user
        if not user.is_authenticated:
            return redirect(f"{home()}/account/login/?next={home()}/moderation/")
        if user.is_staff and not is_mfa_enabled(user):
            return redirect(f"{home()}/account/2fa/totp/activate/?next={home()}/moderation/")
        if user.is_staff:
            return redirect(f"{home()}/account/2fa/reauthenticate/?next={home()}/moderation/")
        raise PermissionDenied


def passed_second_factor(request: HttpRequest) -> bool:
    """Whether this session was opened, or confirmed since, with a second factor."""
    if not is_mfa_enabled(request.user):
        return False
    return any(record.get("method") == "mfa" for record in get_authentication_records(request, request.user))
