"""People: who they are to the board, with whom they work, and the keys of their programs."""

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
"""Of keys that decide about others."""
PREFIX = "gluepot_"
"""Of every key, so that programs that look for lost secrets find it."""


class Members(UserManager):  # type: ignore[type-arg]
    """Makes accounts by their e-mail addresses."""

    def create_user(self, email: str, password: str | None = None, **more: Any) -> "Member":  # type: ignore[override]
        member: Member = self.model(email=email.lower(), **more)
        member.set_password(password)
        member.save(using=self._db)
        return member

    def create_superuser(self, email: str, password: str | None = None, **more: Any) -> "Member":  # type: ignore[override]
        return self.create_user(email, password, is_staff=True, is_superuser=True, **more)


class Member(AbstractUser):
    """Somebody with an account; a moderator, if `is_staff`. Blocked, if not `is_active`."""

    username = None  # type: ignore[assignment]
    first_name = None  # type: ignore[assignment]
    last_name = None  # type: ignore[assignment]
    email = models.EmailField(unique=True)
    name = models.CharField(max_length=150, blank=True)
    language = models.CharField(max_length=5, default="en")
    """Of the letters to them."""

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects = Members()  # type: ignore[misc]

    def __str__(self) -> str:
        return self.email

    def save(self, *given: Any, **more: Any) -> None:
        self.email = self.email.lower()  # one person, however it was typed
        super().save(*given, **more)


class Team(models.Model):
    """Who submits: people who share submissions and quotas. Everybody has one of their own."""

    name = models.CharField(max_length=100)
    personal = models.BooleanField(default=False)
    members: "models.ManyToManyField[Member, Membership]" = models.ManyToManyField(Member, through="Membership", related_name="teams")
    made = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """Somebody's place in a team."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="memberships")
    member = models.ForeignKey(Member, models.CASCADE, related_name="memberships")
    leads = models.BooleanField(default=False)
    """Whether they may invite and remove others."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "member"], name="one_place_in_a_team")]


class Invitation(models.Model):
    """A letter that lets its reader into a team."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="invitations")
    email = models.EmailField()
    digest = models.CharField(max_length=64, unique=True)
    expires = models.DateTimeField()


class ApiKey(models.Model):
    """A key for a program. Only its digest is kept: it is shown once, when it is made."""

    class Scope(models.TextChoices):
        READ = "read", _("read your submissions")
        SUBMIT = "submit", _("read and submit")
        ACCOUNT = "account", _("all that you may do: keys, teams and your data, too")
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
        """A new key, and the words of it that nobody keeps."""
        secret = PREFIX + token_urlsafe(32)
        expires = timezone.now() + min(timedelta(days=days), LONGEST_MODERATION if scope == cls.Scope.MODERATE else LONGEST_KEY)
        return cls.objects.create(member=member, name=name, scope=scope, digest=digest_of_key(secret), expires=expires), secret


def digest_of_key(secret: str) -> str:
    """What is kept of a key; 256 random bits need no salt."""
    return sha256(secret.encode()).hexdigest()


def find_key(secret: str) -> ApiKey | None:
    """The valid key of these words."""
    if not secret.startswith(PREFIX) or len(secret) > 100:
        return None
    found = ApiKey.objects.select_related("member").filter(digest=digest_of_key(secret)).first()
    if found is None or not found.is_valid:
        return None
    now = timezone.now()
    if found.used is None or now - found.used > timedelta(minutes=1):
        ApiKey.objects.filter(pk=found.pk).update(used=now)
    return found
