"""One's own account: keys for programs, teams, and the way to password and second factor."""

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from gluepot.board.accounts.models import ApiKey, Member, Membership
from gluepot.board.moderation.audit import record
from gluepot.board.server.addresses import home

MOST_KEYS = 20


class KeyForm(forms.Form):
    """What a new key is called, may do, and how long."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=100)
    scope = forms.ChoiceField(label=gettext_lazy("What it may do"), choices=ApiKey.Scope.choices, initial=ApiKey.Scope.SUBMIT)
    days = forms.IntegerField(label=gettext_lazy("Days that it is valid"), min_value=1, max_value=90, initial=90)


@login_required
def view(request: HttpRequest) -> HttpResponse:
    return _shown(request, KeyForm())


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
    """A new key, whose words are shown on this one page and never again."""
    assert isinstance(request.user, Member)
    form = KeyForm(request.POST)
    if not form.is_valid():
        return _shown(request, form, status=422)
    if request.user.keys.filter(revoked=None, expires__gt=timezone.now()).count() >= MOST_KEYS:
        messages.error(request, _("You have %(n)s keys already. Revoke one first.") % {"n": MOST_KEYS})
        return redirect(f"{home()}/account/")
    key, secret = ApiKey.make(request.user, form.cleaned_data["name"], form.cleaned_data["scope"], form.cleaned_data["days"])
    record(str(request.user.pk), "made a key", f"key {key.pk}", scope=key.scope)
    return _shown(request, KeyForm(), secret)


@login_required
@require_POST
def revoke_key(request: HttpRequest, number: int) -> HttpResponse:
    assert isinstance(request.user, Member)
    found = ApiKey.objects.filter(pk=number, member=request.user, revoked=None).first()
    if found is None:
        raise Http404(_("There is no such key, or it is not yours."))
    found.revoked = timezone.now()
    found.save(update_fields=["revoked"])
    record(str(found.member_id), "revoked a key", f"key {found.pk}")
    messages.success(request, _("Revoked."))
    return redirect(f"{home()}/account/")
