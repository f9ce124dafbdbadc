"""Views of a member's submissions: list, details with private score, metadata form, actions."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.db.models.fields.files import FieldFile
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from gluepot.board.server.addresses import home
from gluepot.board.submitting.access import find_own, find_seen, member_of, own_uploads
from gluepot.board.submitting.intake.acceptance import queue
from gluepot.board.submitting.intake.quotas import QuotaError
from gluepot.board.submitting.models import Upload
from gluepot.board.submitting.publication.decisions import ask_for_review, editable_sheet, save_draft, withdraw_upload
from gluepot.board.submitting.publication.forms import FactForm
from gluepot.board.submitting.states import StateError, lock_upload
from gluepot.board.submitting.views.private_page import PUBLISHABLE, answered_tasks, own_page
from gluepot.board.submitting.views.submit_page import quota_message
from gluepot.tasks.declarations import load_suite


@login_required
def listing(request: HttpRequest) -> HttpResponse:
    uploads = own_uploads(member_of(request)).select_related("team").prefetch_related("revisions").order_by("-made")[:200]
    rows = [(upload, next(iter(sorted(upload.revisions.all(), key=lambda one: -one.pk)), None)) for upload in uploads]
    return render(request, "submitting/own.html", {"rows": rows})


@login_required
def view(request: HttpRequest, key: UUID) -> HttpResponse:
    upload = find_seen(request, key)
    own = own_uploads(member_of(request)).filter(pk=upload.pk).exists()
    form = None
    if own and upload.state in PUBLISHABLE:
        form = FactForm(answered_tasks(upload), f"team:{upload.team_id}", instance=editable_sheet(upload))
    return _shown(request, upload, form, own=own)


def _shown(request: HttpRequest, upload: Upload, form: FactForm | None, *, own: bool, status: int = 200) -> HttpResponse:
    page = own_page(upload, own=own)
    response = render(request, "submitting/submission.html", {"page": page, "form": form}, status=status)
    if page.waits:
        response.headers["Refresh"] = "2"
    return response


@login_required
@require_POST
def publish(request: HttpRequest, key: UUID) -> HttpResponse:
    """Save the metadata as a draft, or submit it for review."""
    upload = find_own(member_of(request), key)
    whole = "send" in request.POST
    form = FactForm(answered_tasks(upload), f"team:{upload.team_id}", request.POST, instance=editable_sheet(upload), whole=whole)
    if not form.is_valid():
        return _shown(request, upload, form, own=True, status=422)
    sheet = form.save(commit=False)
    sheet.upload = upload
    try:
        if whole:
            ask_for_review(upload, sheet, str(member_of(request).pk))
            messages.success(request, _("Sent to the moderators. You get an e-mail when it is verified and another with the decision."))
        else:
            save_draft(upload, sheet)
            messages.success(request, _("Saved."))
    except StateError as error:
        messages.error(request, str(error))
    return redirect(f"{home()}/submissions/{upload.key}")


@login_required
@require_POST
def score(request: HttpRequest, key: UUID) -> HttpResponse:
    """Queue a draft for scoring, which uses a slot of each of its tasks."""
    member = member_of(request)
    upload = find_own(member, key)
    suite = load_suite(upload.suite)
    try:
        with transaction.atomic():
            queue(lock_upload(upload.key), suite, str(member.pk))
    except QuotaError as spent:
        messages.error(request, quota_message(suite, spent))
    except StateError as error:
        messages.error(request, str(error))
    return redirect(f"{home()}/submissions/{upload.key}")


@login_required
def withdraw(request: HttpRequest, key: UUID) -> HttpResponse:
    """Show a confirmation page on GET; withdraw the submission on POST."""
    member = member_of(request)
    upload = find_own(member, key)
    if request.method != "POST":
        return render(request, "submitting/withdraw.html", {"upload": upload})
    try:
        withdraw_upload(upload, str(member.pk))
        messages.success(request, _("Withdrawn."))
    except StateError as error:
        messages.error(request, str(error))
    return redirect(f"{home()}/submissions/{upload.key}")


@login_required
def download(request: HttpRequest, key: UUID) -> HttpResponseBase:
    """Download the stored predictions."""
    return stored_file_response(find_seen(request, key))


def stored_file_response(upload: Upload) -> HttpResponseBase:
    return zip_response(upload.file, f"{upload.suite}-{str(upload.key)[:8]}.zip")


def zip_response(file: FieldFile, filename: str) -> HttpResponseBase:
    """Return a stored zip as a download. Raises Http404 if it is missing."""
    try:
        if not file.name:
            raise FileNotFoundError
        stream = file.storage.open(file.name, "rb")
    except OSError as error:
        raise Http404(_("This file is not in the store.")) from error
    return FileResponse(stream, as_attachment=True, filename=filename, content_type="application/zip")
