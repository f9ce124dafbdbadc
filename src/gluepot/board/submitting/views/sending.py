"""Views for submitting to a suite: instructions, forms and sample submission."""

from collections.abc import Callable, Sequence

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from gluepot.board.accounts.models import Team
from gluepot.board.models import SuiteVersion
from gluepot.board.server.addresses import home
from gluepot.board.submitting.access import chosen_team, member_of
from gluepot.board.submitting.intake.acceptance import Sender
from gluepot.board.submitting.intake.quotas import QuotaError, QuotaUse, uses
from gluepot.board.submitting.intake.rate_limits import TooManyUploads, address_of
from gluepot.board.submitting.intake.receiving import SubmissionRequest, open_suite, open_suites, receive
from gluepot.board.submitting.intake.sample import sample_zip
from gluepot.board.submitting.models import Upload
from gluepot.board.submitting.programs.proposing import ProgramRequest, propose
from gluepot.board.submitting.views.problem_table import by_file
from gluepot.board.submitting.views.submit_page import SubmitPage, quota_message
from gluepot.board.views import navigation_links
from gluepot.errors import WrongUse
from gluepot.records import Problem, Suite, count_problems
from gluepot.tasks.texts import FALLBACK, suite_summary

Taker = Callable[[HttpRequest, SubmitPage], HttpResponse | int]


def listing(request: HttpRequest) -> HttpResponse:
    suites = [(suite, suite_summary(suite, get_language() or FALLBACK)) for suite in open_suites()]
    return render(request, "submitting/suites.html", {"suites": suites})


def view(request: HttpRequest, suite: str) -> HttpResponse:
    """Show the page; accept predictions from its first form."""
    return _answer(request, suite, _send)


@require_POST
def program(request: HttpRequest, suite: str) -> HttpResponse:
    """Accept a program from the second form of the page."""
    return _answer(request, suite, _propose)


def _answer(request: HttpRequest, suite: str, take: Taker) -> HttpResponse:
    found = _find(suite)
    page = SubmitPage(found, settings.SITE_ADDRESS.rstrip("/") or f"{request.scheme}://{request.get_host()}")
    status = 200
    if request.user.is_authenticated:
        page.teams = list(Team.objects.filter(members=member_of(request)).order_by("-personal", "name"))
        if request.method == "POST":
            answered = _refusals(request, page, take)
            if isinstance(answered, HttpResponse):
                return answered
            status = answered
        page.quotas = _quotas(page, chosen_team(member_of(request), page.team))
    elif request.method == "POST":
        return redirect(f"{home()}/account/login/?next={home()}/submit/{found.name}")
    shown = SuiteVersion.objects.filter(name=found.name, version=found.version).exists()
    places = navigation_links(found.name, found.version, "submit") if shown else []
    return render(request, "submitting/submit.html", {"page": page, "places": places}, status=status)


def _quotas(page: SubmitPage, team: Team) -> list[QuotaUse]:
    return uses(team, page.suite, [task.name for task in page.answerable])


def _find(name: str) -> Suite:
    found = open_suite(name)
    if found is None:
        raise Http404(_("This board takes no submissions to “%(name)s”.") % {"name": name})
    return found


def _refusals(request: HttpRequest, page: SubmitPage, take: Taker) -> HttpResponse | int:
    """Return a redirect to the submission, or the status of the page with the errors."""
    page.name = request.POST.get("name", "")
    try:
        return take(request, page)
    except QuotaError as spent:
        page.message = quota_message(page.suite, spent)
        return 429
    except TooManyUploads as busy:
        page.message = _("Too many uploads in a minute. The next one is taken in %(n)s seconds.") % {"n": busy.seconds}
        return 429
    except WrongUse as wrong:
        page.message = str(wrong)
        return 422


def _sender(request: HttpRequest, page: SubmitPage) -> Sender:
    team = chosen_team(member_of(request), request.POST.get("team"))
    page.team = team.pk
    return Sender(member_of(request), team)


def _send(request: HttpRequest, page: SubmitPage) -> HttpResponse | int:
    page.task = request.POST.get("task", "")
    files, draft = request.FILES.getlist("files"), "draft" in request.POST
    asked = SubmissionRequest(_sender(request, page), page.suite.name, page.name, files, address_of(request), page.task, draft)
    checked, upload = receive(asked)
    return _arrived(page, checked.problems, upload)


def _propose(request: HttpRequest, page: SubmitPage) -> HttpResponse | int:
    page.program, page.chosen = request.POST.get("program", ""), request.POST.getlist("tasks")
    files = request.FILES.getlist("files")
    asked = ProgramRequest(_sender(request, page), page.suite.name, page.name, page.program, page.chosen, files, address_of(request))
    return _arrived(page, *propose(asked))


def _arrived(page: SubmitPage, problems: Sequence[Problem], upload: Upload | None) -> HttpResponse | int:
    if upload is not None:
        return redirect(f"{home()}/submissions/{upload.key}")
    page.problems, page.count = by_file(problems), count_problems(problems)
    return 422


def sample(request: HttpRequest, suite: str) -> HttpResponse:
    """Download a complete submission of random predictions, which passes validation."""
    found = _find(suite)
    headers = {"Content-Disposition": f'attachment; filename="{found.name}-sample.zip"'}
    return HttpResponse(sample_zip(found), content_type="application/zip", headers=headers)
