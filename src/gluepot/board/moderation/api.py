"""REST API of moderation: review queue, decisions, blocks, merges, suspicions, audit log; requires a moderator's key."""

from typing import Annotated, Any, Literal
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from ninja import Router, Schema, Status
from ninja.errors import HttpError
from pydantic import Field, StrictBool

from gluepot.board.accounts.key_auth import REFUSALS, ZIP, Number, Scope, key_of
from gluepot.board.accounts.models import Member
from gluepot.board.importing.drafts import clean
from gluepot.board.models import System
from gluepot.board.moderation.audit import record
from gluepot.board.moderation.merging import merge_obstacle
from gluepot.board.moderation.models import AuditEvent
from gluepot.board.submitting.models import FactSheet, Suspicion, Upload
from gluepot.board.submitting.programs.permission import allow, refuse
from gluepot.board.submitting.publication.decisions import approve, reject
from gluepot.board.submitting.tasks import merge
from gluepot.board.submitting.views.documents import shown_file, shown_upload
from gluepot.board.submitting.views.programs import found_program, program_response

router = Router(tags=["moderation"])
Limit = Annotated[int, Field(ge=1, le=500)]
NONE_OF_THIS_NUMBER = "There is nothing of this number."


class DecisionFields(Schema, extra="forbid"):
    """The decision on publication; a rejection requires a reason, which is sent to the team."""

    decision: Literal["approve", "reject"]
    reason: str = Field("", max_length=5000)


class PermissionFields(Schema, extra="forbid"):
    """The decision whether the program with this digest may run, with a reason for the audit log; a refusal's is sent to the team."""

    decision: Literal["allow", "refuse"]
    digest: str = Field(max_length=200)
    reason: str = Field(min_length=1, max_length=5000, pattern=r"\S")


class BlockFields(Schema, extra="forbid"):
    """Whether an account is blocked, with a reason for the audit log."""

    blocked: StrictBool
    reason: str = Field(min_length=1, max_length=5000, pattern=r"\S")


class SettlingFields(Schema, extra="forbid"):
    """Whether a suspicion is settled."""

    settled: StrictBool


class MergeFields(Schema, extra="forbid"):
    """A merge of systems: the one to keep, the others to merge into it, and a reason for the audit log."""

    keep: str = Field(max_length=200)
    others: list[str] = Field(min_length=1, max_length=50)
    reason: str = Field(min_length=1, max_length=5000, pattern=r"\S")


def moderator(request: HttpRequest) -> str:
    """Return the moderator's account number for the audit log. Raises HttpError without a moderator's key."""
    return str(key_of(request, Scope.MODERATE).member_id)


def shown_sheet(sheet: FactSheet) -> dict[str, Any]:
    upload = sheet.upload
    about = {"submission": str(upload.key), "suite": upload.suite, "version": upload.version, "team": upload.team.name}
    waiting = upload.suspicions.filter(settled=False).count()
    return {"number": sheet.pk, **{name: getattr(sheet, name) for name in (*FactSheet.SHOWN, "made")}, **about, "suspicions": waiting}


@router.get("/queue", summary="What waits for a decision", response={200: list[dict[str, Any]], **REFUSALS})
def queue(request: HttpRequest, limit: Limit = 50) -> list[dict[str, Any]]:
    """The metadata in review, oldest first."""
    moderator(request)
    sheets = FactSheet.objects.filter(state=FactSheet.State.REVIEW).select_related("upload__team").order_by("made")
    return [shown_sheet(sheet) for sheet in sheets[:limit]]


@router.post("/sheets/{sheet}/decision", summary="Decide", response={200: dict[str, Any], **REFUSALS})
def decide(request: HttpRequest, sheet: Number, given: DecisionFields) -> dict[str, Any]:
    """Approve or reject. A worker publishes what is approved; the team gets an e-mail either way."""
    who = moderator(request)
    found = FactSheet.objects.select_related("upload__team").filter(pk=sheet).exclude(state=FactSheet.State.DRAFT).first()
    if found is None:
        raise Http404(NONE_OF_THIS_NUMBER)
    if given.decision == "reject" and not given.reason.strip():
        raise HttpError(422, "reason: a rejection needs a reason.")
    approve(found, who) if given.decision == "approve" else reject(found, who, clean(given.reason))
    return shown_sheet(found)


@router.get("/submissions/{key}", summary="Anybody's submission", response={200: dict[str, Any], **REFUSALS})
def submission(request: HttpRequest, key: UUID) -> dict[str, Any]:
    """Details of any submission, with its private score."""
    moderator(request)
    return shown_upload(_upload(key))


@router.get("/submissions/{key}/file", summary="Its predictions", response={200: bytes, **REFUSALS}, openapi_extra=ZIP)
def file(request: HttpRequest, key: UUID) -> HttpResponseBase:
    """The zip file as stored on the board."""
    moderator(request)
    return shown_file(_upload(key))


@router.get("/programs", summary="Programs that wait for permission to run", response={200: list[dict[str, Any]], **REFUSALS})
def programs(request: HttpRequest, limit: Limit = 50) -> list[dict[str, Any]]:
    """The submissions of these programs, oldest first."""
    moderator(request)
    return [shown_upload(upload) for upload in Upload.objects.filter(state=Upload.State.PROPOSED).order_by("made")[:limit]]


@router.get("/submissions/{key}/program", summary="The files of its program", response={200: bytes, **REFUSALS}, openapi_extra=ZIP)
def program_files(request: HttpRequest, key: UUID) -> HttpResponseBase:
    """The zip file with the program's files, for review before they are run."""
    moderator(request)
    return program_response(_upload(key))


@router.post("/submissions/{key}/permission", summary="Let its program run, or not", response={200: dict[str, Any], **REFUSALS})
def permit(request: HttpRequest, key: UUID, given: PermissionFields) -> dict[str, Any]:
    """Allow or refuse exactly the content with the given digest."""
    who, program = moderator(request), found_program(_upload(key))
    (allow if given.decision == "allow" else refuse)(program, who, given.digest, clean(given.reason))
    return shown_upload(_upload(key))


@router.get("/accounts", summary="People", response={200: list[dict[str, Any]], **REFUSALS})
def accounts(request: HttpRequest, q: Annotated[str, Field(max_length=200)] = "", limit: Limit = 50) -> list[dict[str, Any]]:
    """Accounts whose e-mail address or name contains the query."""
    moderator(request)
    words = clean(q)
    found = Member.objects.filter(Q(email__icontains=words) | Q(name__icontains=words)).order_by("pk")
    return [_shown_member(member) for member in found[:limit]]


@router.post("/accounts/{account}/block", summary="Block somebody, or let them in again", response={200: dict[str, Any], **REFUSALS})
def block(request: HttpRequest, account: Number, given: BlockFields) -> dict[str, Any]:
    """Block or unblock an account. The sessions and keys of a blocked account end immediately."""
    who = moderator(request)
    with transaction.atomic():
        member = Member.objects.select_for_update(no_key=True).filter(pk=account).first()
        if member is None:
            raise Http404(NONE_OF_THIS_NUMBER)
        if who == str(member.pk):
            raise HttpError(422, "nobody blocks themselves: another moderator does it.")
        member.is_active = not given.blocked
        member.save(update_fields=["is_active"])
        record(who, "changed an account", f"account {member.pk}", changed={"is_active": member.is_active}, reason=clean(given.reason))
    return _shown_member(member)


@router.get("/suspicions", summary="Near-copies and probing", response={200: list[dict[str, Any]], **REFUSALS})
def suspicions(request: HttpRequest, settled: bool = False, limit: Limit = 50) -> list[dict[str, Any]]:
    """Suspicions, newest first."""
    moderator(request)
    found = Suspicion.objects.filter(settled=settled).select_related("upload__team", "other__team").order_by("-made")
    return [_shown_suspicion(one) for one in found[:limit]]


@router.post("/suspicions/{suspicion}", summary="Settle a suspicion", response={200: dict[str, Any], **REFUSALS})
def settle(request: HttpRequest, suspicion: Number, given: SettlingFields) -> dict[str, Any]:
    """Settle a suspicion or reopen it."""
    who = moderator(request)
    found = Suspicion.objects.select_related("upload__team", "other__team").filter(pk=suspicion).first()
    if found is None:
        raise Http404(NONE_OF_THIS_NUMBER)
    with transaction.atomic():
        found.settled = given.settled
        found.save(update_fields=["settled"])
        record(who, "settled a suspicion" if given.settled else "opened a suspicion", str(found.upload.key))
    return _shown_suspicion(found)


@router.post("/systems/merge", summary="Merge systems that are one", response={202: dict[str, Any], **REFUSALS})
def merge_systems(request: HttpRequest, given: MergeFields) -> Any:
    """Queue a merge of systems, identified by their slugs, for a worker."""
    who, names = moderator(request), list(dict.fromkeys([given.keep, *given.others]))
    found = {system.slug: system for system in System.objects.filter(slug__in=[clean(name) for name in names])}
    if missing := [name for name in names if name not in found]:
        raise Http404(f"There is no system {missing[0][:100]!r} on this board.")
    if why := merge_obstacle(list(found.values())):
        raise HttpError(422, why)
    kept = found.pop(given.keep)
    merge.defer(into=kept.pk, others=[system.pk for system in found.values()], moderator=who, reason=clean(given.reason))
    return Status(202, {"keep": kept.slug, "others": sorted(found)})


@router.get("/audit", summary="The trail", response={200: list[dict[str, Any]], **REFUSALS})
def audit(request: HttpRequest, after: Annotated[int, Field(ge=0, lt=2**31)] = 0, limit: Limit = 50) -> list[dict[str, Any]]:
    """Events after a number, with the digests that chain each to the previous one."""
    moderator(request)
    names = ("pk", "at", "actor", "action", "subject", "details", "previous", "digest")
    return list(AuditEvent.objects.filter(pk__gt=after).order_by("pk").values(*names)[:limit])


def _upload(key: UUID) -> Upload:
    found = Upload.objects.filter(key=key).first()
    if found is None:
        raise Http404("There is no such submission.")
    return found


def _shown_member(member: Member) -> dict[str, Any]:
    facts = {name: getattr(member, name) for name in ("email", "name", "date_joined", "last_login")}
    return {"number": member.pk, **facts, "blocked": not member.is_active, "moderator": member.is_staff}


def _shown_suspicion(found: Suspicion) -> dict[str, Any]:
    other = {"submission": str(found.other.key), "team": found.other.team.name} if found.other else None
    mine = {"submission": str(found.upload.key), "team": found.upload.team.name}
    return {
        "number": found.pk,
        "kind": found.kind,
        **mine,
        "other": other,
        "details": found.details,
        "made": found.made,
        "settled": found.settled,
    }
