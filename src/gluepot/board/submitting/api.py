"""REST API of submissions: the operations of the pages, with an API key instead of a session; described by OpenAPI 3.1."""

from collections.abc import Callable
from typing import Annotated, Any
from uuid import UUID

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from ninja import File, Form, Query, Schema, Status
from ninja.errors import ValidationError
from ninja.files import UploadedFile
from pydantic import WithJsonSchema

from gluepot import __version__
from gluepot.board.accounts import api as accounts
from gluepot.board.accounts.key_auth import REFUSALS, ZIP, KeyAuth, Scope, key_of
from gluepot.board.accounts.keys import KeyRefused
from gluepot.board.accounts.teams import TeamError
from gluepot.board.api import DescribedAPI, Json, describe_validation_errors
from gluepot.board.moderation import api as moderation
from gluepot.board.submitting.access import chosen_team, find_own, own_uploads
from gluepot.board.submitting.intake.acceptance import Sender, queue, shown_problems
from gluepot.board.submitting.intake.quotas import QuotaError, uses
from gluepot.board.submitting.intake.rate_limits import TooManyCalls, TooManyUploads, address_of
from gluepot.board.submitting.intake.receiving import SubmissionRequest, open_suite, open_suites, receive
from gluepot.board.submitting.models import Upload
from gluepot.board.submitting.programs.proposing import ProgramRequest, propose
from gluepot.board.submitting.publication.decisions import ask_for_review, editable_sheet, save_draft, withdraw_upload
from gluepot.board.submitting.publication.forms import FactForm
from gluepot.board.submitting.states import StateError, lock_upload
from gluepot.board.submitting.views.documents import shown_file, shown_upload
from gluepot.board.submitting.views.private_page import answered_tasks
from gluepot.board.submitting.views.programs import program_response, records_response
from gluepot.errors import WrongUse
from gluepot.records import Problem
from gluepot.tasks.declarations import load_suite

api = DescribedAPI(
    title="gluepot, accounts and submissions",
    version=__version__,
    description="All that people do on this board's pages. Every call needs a key, which is made under Account and says what it may do.",
    docs_url=None,
    urls_namespace="submitting",
    auth=KeyAuth(),
    renderer=Json(),
)
api.add_router("", accounts.router)
api.add_router("/moderation", moderation.router)


FormNumber = Annotated[int | None, WithJsonSchema({"type": "integer"})]
"""An optional integer; forms cannot express null."""


class SubmissionFields(Schema):
    """The form fields sent with prediction files."""

    suite: str
    name: str
    task: str = ""
    team: FormNumber = None
    draft: bool = False


class ProgramFields(Schema):
    """The form fields sent with a program: `program` is command:… or container:…@sha256:…; `tasks` is a comma-separated list of names."""

    suite: str
    name: str
    program: str
    tasks: str
    team: FormNumber = None


class FactFields(Schema):
    """The metadata of a system; `trained` maps each task to none, train, dev or test."""

    name: str
    family: str = ""
    parameters: str = ""
    data_size: float | None = None
    data_kind: str = ""
    link: str = ""
    description: str = ""
    anonymous_until: str = ""
    trained: dict[str, str] = {}


@api.get("/suites", summary="Suites that take submissions", response={200: list[dict[str, Any]], **REFUSALS})
def list_open(request: HttpRequest) -> list[dict[str, Any]]:
    """The suites whose data is on this board."""
    return [{"name": suite.name, "version": suite.version, "title": suite.title, "split": suite.score_split} for suite in open_suites()]


@api.get("/quota", summary="What is left of your quota", response={200: list[dict[str, Any]], **REFUSALS})
def quota(request: HttpRequest, suite: str, team: int | None = None) -> list[dict[str, Any]]:
    """The quota of each task of a suite: its slots, how many are left, and when the next one becomes free."""
    found = open_suite(suite)
    if found is None:
        raise Http404(f"This board takes no submissions to “{suite}”.")
    return [vars(use) for use in uses(chosen_team(key_of(request).member, team), found, found.tasks)]


@api.get("/submissions", summary="Your submissions", response={200: list[dict[str, Any]], **REFUSALS})
def list_own(request: HttpRequest, limit: int = Query(50, ge=1, le=200)) -> list[dict[str, Any]]:  # type: ignore[type-arg]
    """The submissions of your teams, newest first."""
    return [shown_upload(upload) for upload in own_uploads(key_of(request).member).order_by("-made")[:limit]]


@api.post("/submissions", summary="Submit", response={201: dict[str, Any], **REFUSALS, 422: dict[str, Any]})
def submit(request: HttpRequest, fields: Form[SubmissionFields], files: Annotated[list[UploadedFile], File(min_length=1)]) -> Any:
    """Upload predictions in the suite's format, as a zip or as single files. Returns all problems together, or the queued submission."""
    member = key_of(request, Scope.SUBMIT).member
    sender = Sender(member, chosen_team(member, fields.team))
    if open_suite(fields.suite) is None:
        raise Http404(f"This board takes no submissions to “{fields.suite}”.")
    asked = SubmissionRequest(sender, fields.suite, fields.name, files, address_of(request), fields.task, fields.draft)

    def received() -> tuple[list[Problem], Upload | None]:
        checked, upload = receive(asked)
        return checked.problems, upload

    return _received(received)


def _received(take: Callable[[], tuple[list[Problem], Upload | None]]) -> Any:
    """Return the response for a stored submission, or for the reason of its refusal."""
    try:
        problems, upload = take()
    except QuotaError as spent:
        return Status(429, {"detail": f"no slot is left for {spent}.", "next": spent.next, "tasks": [use.task for use in spent.spent]})
    except TooManyUploads as busy:
        return Status(429, {"detail": str(busy), "retry_after": busy.seconds})
    except WrongUse as wrong:
        return Status(422, {"detail": str(wrong), "problems": []})
    if upload is None:
        return Status(422, {"detail": "there are problems; nothing was stored.", "problems": shown_problems(problems)})
    return Status(201, shown_upload(upload))


@api.post("/programs", summary="Submit a program", response={201: dict[str, Any], **REFUSALS, 422: dict[str, Any]})
def submit_program(request: HttpRequest, fields: Form[ProgramFields], files: File[list[UploadedFile]] = []) -> Any:  # noqa: B006
    """Submit a command with its files, or an image reference with its digest. The board runs exactly that once a moderator allows it."""
    member = key_of(request, Scope.SUBMIT).member
    sender = Sender(member, chosen_team(member, fields.team))
    if open_suite(fields.suite) is None:
        raise Http404(f"This board takes no submissions to “{fields.suite}”.")
    asked = ProgramRequest(sender, fields.suite, fields.name, fields.program, [fields.tasks], files, address_of(request))
    return _received(lambda: propose(asked))


@api.get("/submissions/{key}", summary="One of your submissions", response={200: dict[str, Any], **REFUSALS})
def one(request: HttpRequest, key: UUID) -> dict[str, Any]:
    """Details of a submission, with its private score once there is one."""
    return shown_upload(find_own(key_of(request).member, key))


@api.get("/submissions/{key}/file", summary="Its predictions", response={200: bytes, **REFUSALS}, openapi_extra=ZIP)
def file(request: HttpRequest, key: UUID) -> HttpResponseBase:
    """The zip file as stored on the board."""
    return shown_file(find_own(key_of(request).member, key))


@api.get("/submissions/{key}/program", summary="The files of its program", response={200: bytes, **REFUSALS}, openapi_extra=ZIP)
def program_files(request: HttpRequest, key: UUID) -> HttpResponseBase:
    """The zip file with the files that the board runs."""
    return program_response(find_own(key_of(request).member, key))


@api.get("/submissions/{key}/records", summary="The raw records of its runs", response={200: bytes, **REFUSALS}, openapi_extra=ZIP)
def program_records(request: HttpRequest, key: UUID) -> HttpResponseBase:
    """The records from which `gluepot measure --from` computes the efficiency figures."""
    return records_response(find_own(key_of(request).member, key))


@api.get("/submissions/{key}/facts", summary="Fact sheet", response={200: list[dict[str, Any]], **REFUSALS})
def facts(request: HttpRequest, key: UUID) -> list[dict[str, Any]]:
    """All revisions of the metadata, newest first, each with its review state and the reason of a rejection."""
    names = ("name", "family", "parameters", "data_size", "data_kind", "link", "description", "trained", "anonymous_until")
    sheets = find_own(key_of(request).member, key).sheets.order_by("-pk")
    return [{"state": sheet["state"], **sheet} for sheet in sheets.values(*names, "state", "reason", "made", "decided")]


@api.post("/submissions/{key}/score", summary="Have a draft scored", response={200: dict[str, Any], **REFUSALS})
def score(request: HttpRequest, key: UUID) -> Any:
    """Queue a draft for scoring. Uses one slot of each task that it answers."""
    member = key_of(request, Scope.SUBMIT).member
    upload = find_own(member, key)
    try:
        with transaction.atomic():
            queue(lock_upload(upload.key), load_suite(upload.suite), str(member.pk))
    except QuotaError as spent:
        return Status(429, {"detail": f"no slot is left for {spent}.", "next": spent.next})
    return Status(200, shown_upload(find_own(member, key)))


@api.post("/submissions/{key}/publish", summary="Ask for publication", response={200: dict[str, Any], **REFUSALS, 422: dict[str, Any]})
def publish(request: HttpRequest, key: UUID, given: FactFields) -> Any:
    """Submit the complete metadata for review by a moderator. Of a published submission, the current metadata stays public until then."""
    return _write_facts(request, key, given, whole=True)


@api.patch("/submissions/{key}/facts", summary="Save a draft of its facts", response={200: dict[str, Any], **REFUSALS, 422: dict[str, Any]})
def save_facts(request: HttpRequest, key: UUID, given: FactFields) -> Any:
    """Save incomplete metadata without requesting a review."""
    return _write_facts(request, key, given, whole=False)


def _write_facts(request: HttpRequest, key: UUID, given: FactFields, *, whole: bool) -> Any:
    member = key_of(request, Scope.SUBMIT).member
    upload = find_own(member, key)
    fields = given.dict(exclude={"trained"}) | {f"trained-{task}": said for task, said in given.trained.items()}
    form = FactForm(answered_tasks(upload), f"team:{upload.team_id}", fields, instance=editable_sheet(upload), whole=whole)
    if not form.is_valid():
        return Status(422, {"detail": "some facts are missing or cannot be used.", "facts": form.errors.get_json_data()})
    sheet = form.save(commit=False)
    sheet.upload = upload
    if whole:
        ask_for_review(upload, sheet, str(member.pk))
    else:
        save_draft(upload, sheet)
    return Status(200, shown_upload(find_own(member, key)))


@api.delete("/submissions/{key}", summary="Withdraw", response={200: dict[str, Any], **REFUSALS})
def withdraw(request: HttpRequest, key: UUID) -> dict[str, Any]:
    """Remove a submission from the board; its history is preserved."""
    member = key_of(request, Scope.SUBMIT).member
    withdraw_upload(find_own(member, key), str(member.pk))
    return shown_upload(find_own(member, key))


@api.exception_handler(Http404)
def not_found(request: HttpRequest, error: Any) -> HttpResponse:
    return api.create_response(request, {"detail": str(error)}, status=404)


@api.exception_handler(TooManyCalls)
def too_many(request: HttpRequest, error: Any) -> HttpResponse:
    answer = api.create_response(request, {"detail": str(error), "retry_after": error.seconds}, status=429)
    answer.headers["Retry-After"] = str(error.seconds)
    return answer


@api.exception_handler(StateError)
def wrong_step(request: HttpRequest, error: Any) -> HttpResponse:
    return api.create_response(request, {"detail": str(error)}, status=409)


@api.exception_handler(TeamError)
def cannot(request: HttpRequest, error: Any) -> HttpResponse:
    return api.create_response(request, {"detail": str(error)}, status=409)


@api.exception_handler(KeyRefused)
def may_not(request: HttpRequest, error: Any) -> HttpResponse:
    return api.create_response(request, {"detail": str(error)}, status=403)


@api.exception_handler(ValidationError)
def not_valid(request: HttpRequest, error: Any) -> HttpResponse:
    return api.create_response(request, {"detail": describe_validation_errors(error)}, status=422)
