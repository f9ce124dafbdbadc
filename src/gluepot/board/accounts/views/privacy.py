"""Privacy pages: privacy notice, data export and account deletion."""

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from gluepot.board.accounts.models import Member
from gluepot.board.accounts.privacy import delete_account, export_account
from gluepot.board.server.addresses import home


def view(request: HttpRequest) -> HttpResponse:
    return render(request, "accounts/privacy.html")


@login_required
def export(request: HttpRequest) -> HttpResponse:
    assert isinstance(request.user, Member)
    headers = {"Content-Disposition": 'attachment; filename="account.zip"'}
    return HttpResponse(export_account(request.user), content_type="application/zip", headers=headers)


@login_required
@reauthentication_required  # type: ignore[untyped-decorator]
def delete(request: HttpRequest) -> HttpResponse:
    """Delete the account after reauthentication and a confirmation; this cannot be undone."""
    assert isinstance(request.user, Member)
    if request.method != "POST" or "confirm" not in request.POST:
        return render(request, "accounts/delete.html")
    member = Member.objects.get(pk=request.user.pk)
    logout(request)
    delete_account(member)
    messages.success(request, _("Your account is deleted."))
    return redirect(f"{home()}/account/login/")
