"""Whoever may ask a board for something: nobody, somebody, a team mate, moderators with and without their second factor, and keys."""

from dataclasses import dataclass, field
from typing import Any

PASSWORD = "correct horse battery"


@dataclass
class Visitor:
    """How somebody comes: with a session, a key, or nothing."""

    name: str
    member: Any = None
    key: str = ""
    second_factor: bool = False
    sees: set[str] = field(default_factory=set)
    """Marks of the submissions that are theirs to see."""

    def client(self) -> Any:
        """A fresh browser or program."""
        from django.test import Client

        headers = {"HTTP_AUTHORIZATION": f"Bearer {self.key}"} if self.key else {}
        client = Client(HTTP_HOST="localhost", raise_request_exception=False, **headers)
        if self.member is not None:
            sign_in(client, self.member, second_factor=self.second_factor)
        return client


def sign_in(client: Any, member: Any, *, second_factor: bool = False) -> None:
    """As after the form, without its cost."""
    client.force_login(member, backend="allauth.account.auth_backends.AuthenticationBackend")
    if second_factor:
        session = client.session
        session["account_authentication_methods"] = [{"method": "password", "at": 0}, {"method": "mfa", "type": "totp", "at": 0}]
        session["account_authentication_methods_user"] = str(member.pk)
        session.save()


def make_member(email: str, **more: Any) -> Any:
    """Somebody with a verified address and no password, which would take time."""
    from allauth.account.models import EmailAddress

    from gluepot.board.accounts.models import Member

    made = Member.objects.create_user(email, **more)
    EmailAddress.objects.create(user=made, email=email, verified=True, primary=True)
    return made


def make_moderator(email: str = "mo@example.org") -> Any:
    """A moderator with a second factor."""
    from allauth.mfa.models import Authenticator

    made = make_member(email, is_staff=True, is_superuser=True)
    Authenticator.objects.create(user=made, type=Authenticator.Type.TOTP, data={"secret": "x"})
    return made
