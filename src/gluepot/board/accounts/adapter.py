"""What the board asks of allauth: letters in the reader's language, and no way out of the site."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import get_language

from gluepot.board.server.addresses import home


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Accounts as this board has them."""

    def is_safe_url(self, url: str | None) -> bool:
        """Only addresses of this site, whatever `next` says."""
        return bool(url) and url_has_allowed_host_and_scheme(url, allowed_hosts=None)

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        return f"{home()}/submissions"

    def get_logout_redirect_url(self, request: HttpRequest) -> str:
        return f"{home()}/"

    def save_user(self, request: HttpRequest, user: Any, form: Any, commit: bool = True) -> Any:
        user.language = get_language() or "en"
        return super().save_user(request, user, form, commit)
