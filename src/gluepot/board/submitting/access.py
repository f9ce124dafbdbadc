"""Access control of submissions: the team, and moderators with a second factor; everybody else gets a 404."""

from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _

from gluepot.board.accounts.models import Member, Team
from gluepot.board.moderation.site import passed_second_factor
from gluepot.board.submitting.models import Upload


def member_of(request: HttpRequest) -> Member:
    """Return the signed-in member; for views that require login."""
    assert isinstance(request.user, Member)
    return request.user


def own_uploads(member: Member) -> QuerySet[Upload]:
    """Return the submissions of all teams of a member."""
    return Upload.objects.filter(team__members=member)


def find_own(member: Member, key: UUID) -> Upload:
    """Return a submission that a member may change, one of their teams'; raises Http404 otherwise."""
    found = own_uploads(member).filter(key=key).first()
    if found is None:
        raise Http404(_("There is no such submission, or it is not yours."))
    return found


def find_seen(request: HttpRequest, key: UUID) -> Upload:
    """Return a submission that the signed-in member may view; raises Http404 otherwise."""
    member = member_of(request)
    if member.is_staff and passed_second_factor(request):
        found = Upload.objects.filter(key=key).first()
        if found is not None:
            return found
    return find_own(member, key)


def chosen_team(member: Member, number: str | int | None) -> Team:
    """Return the team that a member submits for: the chosen one, or by default their personal one. Raises Http404 for other teams."""
    teams = Team.objects.filter(members=member).order_by("-personal", "name")
    if number:
        found = teams.filter(pk=int(number)).first() if str(number).isdecimal() and len(str(number)) < 18 else None
        if found is None:
            raise Http404(_("There is no such team, or you are not in it."))
        return found
    return teams[0]
