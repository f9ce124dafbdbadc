"""Django's admin for moderators, who must have signed in with a second factor."""

from typing import Any

from allauth.account.authentication import get_authentication_records
from allauth.mfa.utils import is_mfa_enabled
from django.contrib.admin import AdminSite
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from gluepot.board.server.addresses import home


class SecondFactorSite(AdminSite):
    """Whoever is no moderator sees nothing; whoever has no second factor is sent to set one up."""

    site_header = site_title = "Moderation"
    index_title = "What waits for a decision"
    enable_nav_sidebar = False

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
