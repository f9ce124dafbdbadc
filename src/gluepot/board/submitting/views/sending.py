"""The page of a suite on which people submit: what to send, a sample of it, the commands, and the form."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from gluepot.board.accounts.models import Team
from gluepot.board.models import SuiteVersion
from gluepot.board.server.addresses import home
from gluepot.board.submitting.access import chosen_team, member_of
from gluepot.board.submitting.intake import Sender
from gluepot.board.submitting.quotas import QuotaSpent, QuotaUse, uses
from gluepot.board.submitting.rates import TooManyUploads, address_of
from gluepot.board.submitting.receiving import SubmissionRequest, open_suite, open_suites, receive
from gluepot.board.submitting.sample import sample_zip
from gluepot.board.submitting.views.submit_page import SubmitPage, by_file
from gluepot.board.views import places_of
from gluepot.errors import WrongUse
from gluepot.records import Suite, count_problems


def listing(request: HttpRequest) -> HttpResponse:
    return render(request, "submitting/suites.html", {"suites": open_suites()})


def view(request: HttpRequest, suite: str) -> HttpResponse:
    found = _find(suite)
    page = SubmitPage(found, settings.SITE_ADDRESS.rstrip("/") or f"{request.scheme}://{request.get_host()}")
    status = 200
    if request.user.is_authenticated:
        page.teams = list(Team.objects.filter(members=member_of(request)).order_by("-personal", "name"))
        if request.method == "POST":
            answered = _send(request, page)
            if isinstance(answered, HttpResponse):
                return answered
            status = answered
        page.quotas = _quotas(page, chosen_team(member_of(request), page.team))
    elif request.method == "POST":
        return redirect(f"{home()}/account/login/?next={request.path}")
    shown = SuiteVersion.objects.filter(name=found.name, version=found.version).exists()
    places = places_of(found.name, found.version, "submit") if shown else []
    return render(request, "submitting/submit.html", {"page": page, "places": places}, status=status)


def _quotas(page: SubmitPage, team: Team) -> list[QuotaUse]:
    return uses(team, page.suite, [task.name for task in page.answerable])


def _find(name: str) -> Suite:
    found = open_suite(name)
    if found is None:
        raise Http404(_("This board takes no submissions to “%(name)s”.") % {"name": name})
    return found


def _send(request: HttpRequest, page: SubmitPage) -> HttpResponse | int:
    """The way to the submission, or the status of a page that says what is wrong."""
    page.name, page.task = request.POST.get("name", ""), request.POST.get("task", "")
    team = chosen_team(member_of(request), request.POST.get("team"))
    page.team = team.pk
    asked = SubmissionRequest(
        Sender(member_of(request), team),
        page.suite.name,
        page.name,
        request.FILES.getlist("files"),
        address_of(request),
        page.task,
        "draft" in request.POST,
    )
    try:
        checked, upload = receive(asked)
    except QuotaSpent as spent:
        when = f"{spent.next:%Y-%m-%d %H:%M} UTC"
        page.message = _("No slot is left for %(tasks)s. The next one is free at %(when)s.") % {"tasks": str(spent), "when": when}
        return 429
    except TooManyUploads as busy:
        page.message = _("Too many uploads in a minute. The next one is taken in %(n)s seconds.") % {"n": busy.seconds}
        return 429
    except WrongUse as wrong:
        page.message = str(wrong)
        return 422
    if upload is not None:
        return redirect(f"{home()}/submissions/{upload.key}")
    page.problems, page.count = by_file(checked), count_problems(checked.problems)
    return 422


def sample(request: HttpRequest, suite: str) -> HttpResponse:
    """A whole submission of random answers, which passes every check."""
    found = _find(suite)
    headers = {"Content-Disposition": f'attachment; filename="{found.name}-sample.zip"'}
    return HttpResponse(sample_zip(found), content_type="application/zip", headers=headers)
