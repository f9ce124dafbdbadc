"""Downloads of a submitted program's files and of the raw records of its runs, for its team and moderators."""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _

from gluepot.board.submitting.access import find_seen
from gluepot.board.submitting.models import SubmittedProgram, Upload, program_of
from gluepot.board.submitting.views.own import zip_response


def found_program(upload: Upload) -> SubmittedProgram:
    program = program_of(upload)
    if program is None:
        raise Http404(_("This submission has no program: its answers were sent."))
    return program


def program_response(upload: Upload) -> HttpResponseBase:
    return zip_response(found_program(upload).file, f"{upload.suite}-{str(upload.key)[:8]}-program.zip")


def records_response(upload: Upload) -> HttpResponseBase:
    return zip_response(found_program(upload).records, f"{upload.suite}-{str(upload.key)[:8]}-records.zip")


@login_required
def download(request: HttpRequest, key: UUID) -> HttpResponseBase:
    """Download the files of the program."""
    return program_response(find_seen(request, key))


@login_required
def records(request: HttpRequest, key: UUID) -> HttpResponseBase:
    """Download the raw records, from which `gluepot measure --from` computes the figures."""
    return records_response(find_seen(request, key))
