"""Visitors of a board: anonymous ones, members, moderators with and without a second factor, and API keys."""

from dataclasses import dataclass, field
from typing import Any

PASSWORD = "correct horse battery"


@dataclass
class Visitor:
    """Visitor with a session, an API key or neither."""

    name: str
    member: Any = None
    key: str = ""
    second_factor: bool = False
    sees: set[str] = field(default_factory=set)
    """Marks of the submissions that this visitor is permitted to see."""

    def client(self) -> Any:
        """Return a new client, signed in or with the key."""
        from django.test import Client

        headers = {"HTTP_AUTHORIZATION": f"Bearer {self.key}"} if self.key else {}
        client = Client(HTTP_HOST="localhost", raise_request_exception=False, **headers)
        if self.member is not None:
            sign_in(client, self.member, second_factor=self.second_factor)
        return client


def sign_in(client: Any, member: Any, *, second_factor: bool = False) -> None:
    """Sign in without the cost of the login form."""
    client.force_login(member, backend="allauth.account.auth_backends.AuthenticationBackend")
    if second_factor:
        session = client.session
        session["account_authentication_methods"] = [{"method": "password", "at": 0}, {"method": "mfa", "type": "totp", "at": 0}]
        session["account_authentication_methods_user"] = str(member.pk)
        session.save()


def make_member(email: str, **more: Any) -> Any:
    """Create a member with a verified email address and without a password, because hashing one takes time."""
    from allauth.account.models import EmailAddress

    from gluepot.board.accounts.models import Member

    made = Member.objects.create_user(email, **more)
    EmailAddress.objects.create(user=made, email=email, verified=True, primary=True)
    return made


def make_moderator(email: str = "mo@example.org") -> Any:
    """Create a moderator with a second factor."""
    from allauth.mfa.models import Authenticator

    made = make_member(email, is_staff=True, is_superuser=True)
    Authenticator.objects.create(user=made, type=Authenticator.Type.TOTP, data={"secret": "x"})
    return made
