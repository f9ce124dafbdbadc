"""Page of a team, with its members and invitations; and the page to accept an invitation."""

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from gluepot.board.accounts.models import Member, Membership
from gluepot.board.accounts.teams import TeamError, change_membership, find_invitation, find_membership, invite, join, make_team
from gluepot.board.server.addresses import home


class TeamForm(forms.Form):
    """Name of a new team, which is public."""

    name = forms.CharField(label=gettext_lazy("Name of the team"), max_length=100)


class InvitationForm(forms.Form):
    """E-mail address to invite."""

    email = forms.EmailField(label=gettext_lazy("E-mail address"), max_length=254)


def _place(request: HttpRequest, number: int, *, leads: bool = False) -> Membership:
    assert isinstance(request.user, Member)
    return find_membership(request.user, number, leads=leads)


def _back(request: HttpRequest, number: int) -> HttpResponse:
    return redirect(f"{home()}/account/teams/{number}")


@login_required
@require_POST
def make(request: HttpRequest) -> HttpResponse:
    assert isinstance(request.user, Member)
    form = TeamForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("A team needs a name of at most 100 characters."))
        return redirect(f"{home()}/account/")
    try:
        return _back(request, make_team(request.user, form.cleaned_data["name"]).pk)
    except TeamError as error:
        messages.error(request, str(error))
        return redirect(f"{home()}/account/")


@login_required
def view(request: HttpRequest, number: int) -> HttpResponse:
    """Show the team; POST sends an invitation."""
    place = _place(request, number, leads=request.method == "POST")
    form = InvitationForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        site = settings.SITE_ADDRESS.rstrip("/") or f"{request.scheme}://{request.get_host()}"
        try:
            invite(place.team, place.member, form.cleaned_data["email"], site)
            messages.success(request, _("The invitation was sent."))
        except TeamError as error:
            messages.error(request, str(error))
        return _back(request, number)
    facts = {
        "place": place,
        "form": form,
        "members": place.team.memberships.select_related("member").order_by("pk"),
        "invitations": place.team.invitations.filter(expires__gt=timezone.now()).order_by("email"),
    }
    return render(request, "accounts/team.html", facts, status=422 if form.errors else 200)


@login_required
@require_POST
def change(request: HttpRequest, number: int, other: int, act: str) -> HttpResponse:
    """Remove a member, leave the team, or make a member a leader."""
    own = _place(request, number)
    try:
        place = change_membership(own, other, act)
    except TeamError as error:
        messages.error(request, str(error))
        return _back(request, number)
    return redirect(f"{home()}/account/") if act == "remove" and place.member_id == own.member_id else _back(request, number)


@login_required
@require_POST
def take_back(request: HttpRequest, number: int, invitation: int) -> HttpResponse:
    _place(request, number, leads=True).team.invitations.filter(pk=invitation).delete()
    return _back(request, number)


@login_required
def accept(request: HttpRequest, secret: str) -> HttpResponse:
    """Show the team of an invitation; POST joins it."""
    assert isinstance(request.user, Member)
    found = find_invitation(secret)
    if found is None:
        raise Http404(_("This invitation is not valid any more. Ask for a new one."))
    if request.method == "POST":
        try:
            join(found, request.user)
            messages.success(request, _("You are in the team now."))
        except TeamError as error:
            messages.error(request, str(error))
        return redirect(f"{home()}/account/")
    return render(request, "accounts/join.html", {"team": found.team})
