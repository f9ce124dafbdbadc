"""Models of members, teams, invitations and API keys."""

from datetime import timedelta
from hashlib import sha256
from secrets import token_urlsafe
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, UserManager
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

LONGEST_KEY = timedelta(days=90)
LONGEST_MODERATION = timedelta(days=7)
"""Maximum validity of moderation keys."""
PREFIX = "gluepot_"
"""Prefix of every key, so that secret scanners find it."""


class Members(UserManager):  # type: ignore[type-arg]
    """Manager that creates accounts by e-mail address."""

    def create_user(self, email: str, password: str | None = None, **more: Any) -> "Member":  # type: ignore[override]
        member: Member = self.model(email=email.lower(), **more)
        member.set_password(password)
        member.save(using=self._db)
        return member

    def create_superuser(self, email: str, password: str | None = None, **more: Any) -> "Member":  # type: ignore[override]
        return self.create_user(email, password, is_staff=True, is_superuser=True, **more)


class Member(AbstractUser):
    """A user account; a moderator if `is_staff`, blocked if not `is_active`."""

    username = None  # type: ignore[assignment]
    first_name = None  # type: ignore[assignment]
    last_name = None  # type: ignore[assignment]
    email = models.EmailField(unique=True)
    name = models.CharField(max_length=150, blank=True)
    language = models.CharField(max_length=5, default="en")
    """Language of mail to the member."""

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects = Members()  # type: ignore[misc]

    def __str__(self) -> str:
        return self.email

    def save(self, *given: Any, **more: Any) -> None:
        self.email = self.email.lower()  # one account, whatever the case of the address
        super().save(*given, **more)


class Team(models.Model):
    """A team that submits: members who share submissions and quotas. Every member has a personal team."""

    name = models.CharField(max_length=100)
    personal = models.BooleanField(default=False)
    members: "models.ManyToManyField[Member, Membership]" = models.ManyToManyField(Member, through="Membership", related_name="teams")
    made = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A member's place in a team."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="memberships")
    member = models.ForeignKey(Member, models.CASCADE, related_name="memberships")
    leads = models.BooleanField(default=False)
    """Whether the member may invite and remove others."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "member"], name="one_place_in_a_team")]


class Invitation(models.Model):
    """An invitation to a team, sent by e-mail."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="invitations")
    email = models.EmailField()
    digest = models.CharField(max_length=64, unique=True)
    expires = models.DateTimeField()


class ApiKey(models.Model):
    """An API key. Only its digest is stored: the secret is shown once, on creation."""

    class Scope(models.TextChoices):
        READ = "read", _("read your submissions")
        SUBMIT = "submit", _("read and submit")
        ACCOUNT = "account", _("full access, including keys, teams and your data")
        MODERATE = "moderate", _("read and moderate")

    member = models.ForeignKey(Member, models.CASCADE, related_name="keys")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    scope = models.CharField(max_length=10, choices=Scope.choices, default=Scope.SUBMIT)
    made = models.DateTimeField(auto_now_add=True)
    expires = models.DateTimeField()
    used = models.DateTimeField(null=True)
    revoked = models.DateTimeField(null=True)

    @property
    def is_valid(self) -> bool:
        return self.revoked is None and self.expires > timezone.now() and self.member.is_active

    @classmethod
    def make(cls, member: Member, name: str, scope: str, days: int = 90) -> tuple["ApiKey", str]:
        """Create a key and return it with its secret, which is not stored."""
        secret = PREFIX + token_urlsafe(32)
        expires = timezone.now() + min(timedelta(days=days), LONGEST_MODERATION if scope == cls.Scope.MODERATE else LONGEST_KEY)
        return cls.objects.create(member=member, name=name, scope=scope, digest=digest_of_key(secret), expires=expires), secret


def digest_of_key(secret: str) -> str:
    """Return the digest under which a key is stored; 256 random bits need no salt."""
    return sha256(secret.encode()).hexdigest()


def find_key(secret: str) -> ApiKey | None:
    """Return the valid key with this secret and record its use; None if there is none."""
    if not secret.startswith(PREFIX) or len(secret) > 100:
        return None
    found = ApiKey.objects.select_related("member").filter(digest=digest_of_key(secret)).first()
    if found is None or not found.is_valid:
        return None
    now = timezone.now()
    if found.used is None or now - found.used > timedelta(minutes=1):
        ApiKey.objects.filter(pk=found.pk).update(used=now)
    return found
