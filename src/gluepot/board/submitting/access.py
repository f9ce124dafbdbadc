"""Who may see a submission: its team, and moderators with their second factor. To everybody else it does not exist."""

from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _

from gluepot.board.accounts.models import Member, Team
from gluepot.board.moderation.site import passed_second_factor
from gluepot.board.submitting.models import Upload


def member_of(request: HttpRequest) -> Member:
    """Whoever is signed in; views ask only after signing in was required."""
    assert isinstance(request.user, Member)
    return request.user


def own_uploads(member: Member) -> QuerySet[Upload]:
    """The submissions of all teams of somebody."""
    return Upload.objects.filter(team__members=member)


def find_own(member: Member, key: UUID) -> Upload:
    """A submission that somebody may change."""
    found = own_uploads(member).filter(key=key).first()
    if found is None:
        raise Http404(_("There is no such submission, or it is not yours."))
    return found


def find_seen(request: HttpRequest, key: UUID) -> Upload:
    """A submission that somebody may look at."""
    member = member_of(request)
    if member.is_staff and passed_second_factor(request):
        found = Upload.objects.filter(key=key).first()
        if found is not None:
            return found
    return find_own(member, key)


def chosen_team(member: Member, number: str | int | None) -> Team:
    """The team that somebody submits for: the one they chose, or their own."""
    teams = Team.objects.filter(members=member).order_by("-personal", "name")
    if number:
        found = teams.filter(pk=int(number)).first() if str(number).isdecimal() and len(str(number)) < 18 else None
        if found is None:
            raise Http404(_("There is no such team, or you are not in it."))
        return found
    return teams[0]
