"""The account page: API keys, teams, and links to password and second factor."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from gluepot.board.accounts import keys
from gluepot.board.accounts.keys import KeyRefused, may_moderate
from gluepot.board.accounts.models import ApiKey, Member, Membership
from gluepot.board.moderation.site import passed_second_factor
from gluepot.board.server.addresses import home


class KeyForm(forms.Form):
    """Name, scope and validity of a new key."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=100)
    scope = forms.ChoiceField(label=gettext_lazy("What it may do"), choices=ApiKey.Scope.choices, initial=ApiKey.Scope.SUBMIT)
    days = forms.IntegerField(label=gettext_lazy("Days that it is valid"), min_value=1, max_value=90, initial=90)

    def __init__(self, *given: Any, moderator: bool = False) -> None:
        super().__init__(*given)
        kept = [choice for choice in ApiKey.Scope.choices if moderator or choice[0] != ApiKey.Scope.MODERATE]
        self.fields["scope"].choices = kept  # type: ignore[attr-defined]


def _moderates(request: HttpRequest) -> bool:
    """Whether the user may create a moderation key: a moderator, in a session that passed the second factor."""
    return isinstance(request.user, Member) and may_moderate(request.user) and passed_second_factor(request)


@login_required
def view(request: HttpRequest) -> HttpResponse:
    return _shown(request, KeyForm(moderator=_moderates(request)))


def _shown(request: HttpRequest, form: KeyForm, secret: str = "", status: int = 200) -> HttpResponse:
    member = request.user
    assert isinstance(member, Member)
    facts = {
        "form": form,
        "secret": secret,
        "keys": member.keys.filter(revoked=None).order_by("-pk"),
        "places_in_teams": Membership.objects.filter(member=member).select_related("team").order_by("-team__personal", "team__name"),
    }
    return render(request, "accounts/account.html", facts, status=status)


@login_required
@require_POST
def make_key(request: HttpRequest) -> HttpResponse:
    """Create a key, whose secret is shown on this page only."""
    assert isinstance(request.user, Member)
    form = KeyForm(request.POST, moderator=_moderates(request))
    if not form.is_valid():
        return _shown(request, form, status=422)
    try:
        _, secret = keys.make_key(request.user, form.cleaned_data["name"], form.cleaned_data["scope"], form.cleaned_data["days"])
    except KeyRefused as error:
        messages.error(request, str(error))
        return redirect(f"{home()}/account/")
    return _shown(request, KeyForm(moderator=_moderates(request)), secret)


@login_required
@require_POST
def revoke_key(request: HttpRequest, number: int) -> HttpResponse:
    assert isinstance(request.user, Member)
    if keys.revoke_key(request.user, number) is None:
        raise Http404(_("There is no such key, or it is not yours."))
    messages.success(request, _("Revoked."))
    return redirect(f"{home()}/account/")
