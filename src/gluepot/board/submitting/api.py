"""Submitting for programs: what the pages do, with a key instead of a session; described by OpenAPI 3.1."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from ninja import File, Form, NinjaAPI, Query, Schema, Status
from ninja.errors import HttpError, ValidationError
from ninja.files import UploadedFile
from ninja.security import HttpBearer

from gluepot import __version__
from gluepot.board.accounts.models import ApiKey, find_key
from gluepot.board.api import Json, not_valid_words
from gluepot.board.submitting.access import chosen_team, find_own, own_uploads
from gluepot.board.submitting.deciding import ask_for_review, editable_sheet, withdraw_upload
from gluepot.board.submitting.forms import FactForm
from gluepot.board.submitting.intake import Sender, queue, shown_problems
from gluepot.board.submitting.models import SubmittedProgram, Upload, program_of
from gluepot.board.submitting.programs.proposing import ProgramRequest, propose
from gluepot.board.submitting.quotas import QuotaSpent, uses
from gluepot.board.submitting.rates import CALLS, TooManyCalls, TooManyUploads, address_of
from gluepot.board.submitting.receiving import SubmissionRequest, open_suite, open_suites, receive
from gluepot.board.submitting.states import WrongStep, locked
from gluepot.board.submitting.views.own import stored_answer
from gluepot.board.submitting.views.private_page import answered_tasks
from gluepot.board.submitting.views.programs import program_answer, records_answer
from gluepot.errors import WrongUse
from gluepot.records import Problem
from gluepot.tasks.declarations import load_suite


class KeyAuth(HttpBearer):
    """`Authorization: Bearer gluepot_…`; a key that is revoked, expired or of somebody blocked is none."""

    def authenticate(self, request: HttpRequest, token: str) -> ApiKey | None:
        CALLS.count(f"from {address_of(request)}")  # guesses too
        found = find_key(token)
        if found is not None:
            CALLS.count(f"account {found.member_id}")
        return found


api = NinjaAPI(
    title="gluepot, submitting",
    version=__version__,
    description="Your submissions to this board. Every call needs a key, which is made under Account.",
    docs_url=None,
    urls_namespace="submitting",
    auth=KeyAuth(),
    renderer=Json(),
)


class SubmissionFields(Schema):
    """What comes with the files."""

    suite: str
    name: str
    task: str = ""
    team: int | None = None
    draft: bool = False


class ProgramFields(Schema):
    """What comes with a program: `program` is command:… or container:…@sha256:…; `tasks` are names, with commas."""

    suite: str
    name: str
    program: str
    tasks: str
    team: int | None = None


class FactFields(Schema):
    """The facts of a system; `trained` maps each task to none, train, dev or test."""

    name: str
    family: str = ""
    parameters: str = ""
    data_size: float | None = None
    data_kind: str = ""
    link: str = ""
    description: str = ""
    anonymous_until: str = ""
    trained: dict[str, str] = {}


def _key(request: HttpRequest, *, submits: bool = False) -> ApiKey:
    key: ApiKey = request.auth  # type: ignore[attr-defined]
    if submits and key.scope != ApiKey.Scope.SUBMIT:
        raise HttpError(403, "this key may only read.")
    return key


def _shown(upload: Upload) -> dict[str, Any]:
    revision = upload.revisions.order_by("-pk").first()
    names = (
        "name",
        "suite",
        "version",
        "task",
        "state",
        "reason",
        "filename",
        "size",
        "tasks",
        "notices",
        "made",
        "queued",
        "scored",
        "published",
    )
    facts = {name: getattr(upload, name) for name in names}
    public = f"/s/{upload.system.slug}" if upload.system else None
    page = f"/submissions/{upload.key}"
    scores = {"score": revision.document if revision else None, "program": _shown_program(program_of(upload))}
    return {"key": str(upload.key), **facts, **scores, "page": page, "public": public}


def _shown_program(program: SubmittedProgram | None) -> dict[str, Any] | None:
    names = ("kind", "words", "files", "digest", "permission", "reason", "decided", "ran", "figures")
    return {name: getattr(program, name) for name in names} if program else None


@api.get("/account", summary="You and your teams", response=dict[str, Any])
def account(request: HttpRequest) -> dict[str, Any]:
    """Whose key it is, what it may do and until when; the numbers of the teams to submit for."""
    key = _key(request)
    places = key.member.memberships.select_related("team").order_by("-team__personal", "team__name")
    teams = [{"number": place.team_id, "name": place.team.name, "personal": place.team.personal, "leads": place.leads} for place in places]
    return {"email": key.member.email, "key": {"name": key.name, "scope": key.scope, "expires": key.expires}, "teams": teams}


@api.get("/suites", summary="Suites that take submissions", response=list[dict[str, Any]])
def list_open(request: HttpRequest) -> list[dict[str, Any]]:
    """Suites whose items are on this board."""
    return [{"name": suite.name, "version": suite.version, "title": suite.title, "split": suite.score_split} for suite in open_suites()]


@api.get("/quota", summary="What is left of your quota", response=list[dict[str, Any]])
def quota(request: HttpRequest, suite: str, team: int | None = None) -> list[dict[str, Any]]:
    """For every task of a suite: slots, how many are left, and when the next one is free."""
    found = open_suite(suite)
    if found is None:
        raise Http404(f"This board takes no submissions to “{suite}”.")
    return [vars(use) for use in uses(chosen_team(_key(request).member, team), found, found.tasks)]


@api.get("/submissions", summary="Your submissions", response=list[dict[str, Any]])
def list_own(request: HttpRequest, limit: int = Query(50, ge=1, le=200)) -> list[dict[str, Any]]:  # type: ignore[type-arg]
    """The newest first."""
    return [_shown(upload) for upload in own_uploads(_key(request).member).order_by("-made")[:limit]]


@api.post("/submissions", summary="Submit", response={201: dict[str, Any], 422: dict[str, Any], 429: dict[str, Any]})
def submit(request: HttpRequest, fields: Form[SubmissionFields], files: File[list[UploadedFile]]) -> Any:
    """Files in the suite's format, a zip or the files themselves: all problems at once, or a submission that is queued."""
    member = _key(request, submits=True).member
    sender = Sender(member, chosen_team(member, fields.team))
    if open_suite(fields.suite) is None:
        raise Http404(f"This board takes no submissions to “{fields.suite}”.")
    asked = SubmissionRequest(sender, fields.suite, fields.name, files, address_of(request), fields.task, fields.draft)

    def received() -> tuple[list[Problem], Upload | None]:
        checked, upload = receive(asked)
        return checked.problems, upload

    return _received(received)


def _received(take: Callable[[], tuple[list[Problem], Upload | None]]) -> Any:
    """What was taken in, or why it was not."""
    try:
        problems, upload = take()
    except QuotaSpent as spent:
        return Status(429, {"detail": f"no slot is left for {spent}.", "next": spent.next, "tasks": [use.task for use in spent.spent]})
    except TooManyUploads as busy:
        return Status(429, {"detail": str(busy), "retry_after": busy.seconds})
    except WrongUse as wrong:
        return Status(422, {"detail": str(wrong), "problems": []})
    if upload is None:
        return Status(422, {"detail": "there are problems; nothing was stored.", "problems": shown_problems(problems)})
    return Status(201, _shown(upload))


@api.post("/programs", summary="Submit a program", response={201: dict[str, Any], 422: dict[str, Any], 429: dict[str, Any]})
def submit_program(request: HttpRequest, fields: Form[ProgramFields], files: File[list[UploadedFile]] = []) -> Any:  # noqa: B006
    """A command with its files, or an image by its reference with digest: run by the board once a moderator allows exactly that."""
    member = _key(request, submits=True).member
    sender = Sender(member, chosen_team(member, fields.team))
    if open_suite(fields.suite) is None:
        raise Http404(f"This board takes no submissions to “{fields.suite}”.")
    asked = ProgramRequest(sender, fields.suite, fields.name, fields.program, [fields.tasks], files, address_of(request))
    return _received(lambda: propose(asked))


@api.get("/submissions/{key}", summary="One of your submissions", response=dict[str, Any])
def one(request: HttpRequest, key: UUID) -> dict[str, Any]:
    """With its private score, once it has one."""
    return _shown(find_own(_key(request).member, key))


@api.get("/submissions/{key}/file", summary="Its predictions", response={200: bytes})
def file(request: HttpRequest, key: UUID) -> HttpResponseBase:
    """The zip as the board keeps it."""
    return stored_answer(find_own(_key(request).member, key))


@api.get("/submissions/{key}/program", summary="The files of its program", response={200: bytes})
def program_files(request: HttpRequest, key: UUID) -> HttpResponseBase:
    """The zip as the board runs it."""
    return program_answer(find_own(_key(request).member, key))


@api.get("/submissions/{key}/records", summary="The raw records of its runs", response={200: bytes})
def program_records(request: HttpRequest, key: UUID) -> HttpResponseBase:
    """From which `gluepot measure --from` computes the figures."""
    return records_answer(find_own(_key(request).member, key))


@api.get("/submissions/{key}/facts", summary="What is said of it", response=list[dict[str, Any]])
def facts(request: HttpRequest, key: UUID) -> list[dict[str, Any]]:
    """All revisions of its facts, the newest first: what is public, what waits for a moderator, what was rejected and why."""
    names = ("name", "family", "parameters", "data_size", "data_kind", "link", "description", "trained", "anonymous_until")
    sheets = find_own(_key(request).member, key).sheets.order_by("-pk")
    return [{"state": sheet["state"], **sheet} for sheet in sheets.values(*names, "state", "reason", "made", "decided")]


@api.post("/submissions/{key}/score", summary="Have a draft scored", response={200: dict[str, Any], 429: dict[str, Any]})
def score(request: HttpRequest, key: UUID) -> Any:
    """Uses a slot of each task that it answers."""
    member = _key(request, submits=True).member
    upload = find_own(member, key)
    try:
        with transaction.atomic():
            queue(locked(upload.key), load_suite(upload.suite), str(member.pk))
    except QuotaSpent as spent:
        return Status(429, {"detail": f"no slot is left for {spent}.", "next": spent.next})
    return Status(200, _shown(find_own(member, key)))


@api.post("/submissions/{key}/publish", summary="Ask for publication", response={200: dict[str, Any], 422: dict[str, Any]})
def publish(request: HttpRequest, key: UUID, given: FactFields) -> Any:
    """All facts at once; a moderator decides. Of a published one, the old facts stay public until then."""
    member = _key(request, submits=True).member
    upload = find_own(member, key)
    fields = given.dict(exclude={"trained"}) | {f"trained-{task}": said for task, said in given.trained.items()}
    form = FactForm(answered_tasks(upload), f"team:{upload.team_id}", fields, instance=editable_sheet(upload), whole=True)
    if not form.is_valid():
        return Status(422, {"detail": "some facts are missing or cannot be used.", "facts": form.errors.get_json_data()})
    sheet = form.save(commit=False)
    sheet.upload = upload
    ask_for_review(upload, sheet, str(member.pk))
    return Status(200, _shown(find_own(member, key)))


@api.delete("/submissions/{key}", summary="Withdraw", response=dict[str, Any])
def withdraw(request: HttpRequest, key: UUID) -> dict[str, Any]:
    """It leaves the board; its history stays."""
    member = _key(request, submits=True).member
    withdraw_upload(find_own(member, key), str(member.pk))
    return _shown(find_own(member, key))


@api.exception_handler(Http404)
def not_found(request: HttpRequest, error: Any) -> HttpResponse:
    return api.create_response(request, {"detail": str(error)}, status=404)


@api.exception_handler(TooManyCalls)
def too_many(request: HttpRequest, error: Any) -> HttpResponse:
    answer = api.create_response(request, {"detail": str(error), "retry_after": error.seconds}, status=429)
    answer.headers["Retry-After"] = str(error.seconds)
    return answer


@api.exception_handler(WrongStep)
def wrong_step(request: HttpRequest, error: Any) -> HttpResponse:
    return api.create_response(request, {"detail": str(error)}, status=409)


@api.exception_handler(ValidationError)
def not_valid(request: HttpRequest, error: Any) -> HttpResponse:
    return api.create_response(request, {"detail": not_valid_words(error)}, status=422)
