"""allauth adapter: redirects and mail in the reader's language, and no redirect to another site."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context as allauth_context
from django.conf import settings
from django.contrib.sites.shortcuts import get_current_site
from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import get_language

from gluepot.board.server.addresses import home


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """allauth's adapter with the board's redirects, mail and user fields."""

    def is_safe_url(self, url: str | None) -> bool:
        """Accept only URLs of this site, whatever `next` contains."""
        return bool(url) and url_has_allowed_host_and_scheme(url, allowed_hosts=None)

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        return f"{home()}/submissions"

    def get_email_verification_redirect_url(self, email_address: Any) -> str:
        """Return the page after verification, in the current language."""
        return f"{home()}/submissions"

    def get_logout_redirect_url(self, request: HttpRequest) -> str:
        return f"{home()}/"

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send mail that names the board, not the host of the request."""
        site = get_current_site(allauth_context.request)
        site.name = settings.SITE_NAME
        super().send_mail(template_prefix, email, {**context, "current_site": site})

    def save_user(self, request: HttpRequest, user: Any, form: Any, commit: bool = True) -> Any:
        user.language = get_language() or "en"
        return super().save_user(request, user, form, commit)
