"""Export of a member's data, and deletion of accounts.

Published results stay public, as papers do, without a person's name; all private data is deleted, files included.
"""

import zipfile
from io import BytesIO
from typing import Any

import msgspec
from allauth.account.models import EmailAddress
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models.fields.files import FieldFile

from gluepot.board.accounts.models import ApiKey, Member, Team
from gluepot.board.moderation.audit import record
from gluepot.board.submitting.models import FactSheet, SubmittedProgram, Upload, program_of
from gluepot.board.submitting.states import State

GONE = ""
"""Name of a team whose last member has left the board."""


def export_account(member: Member) -> bytes:
    """Return a zip with all data: one document, and the files of all submissions that the member sent."""
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("account.json", msgspec.json.format(msgspec.json.encode(account_document(member), enc_hook=str)))
        for upload in Upload.objects.filter(member=member):
            for file in stored_files(upload):
                try:
                    with file.storage.open(str(file.name), "rb") as stream:
                        archive.writestr(str(file.name), stream.read())
                except OSError:  # a lost file does not prevent the export of the rest
                    continue
    return packed.getvalue()


def account_document(member: Member) -> dict[str, Any]:
    """Return all rows of a member, without digests of passwords and keys, which are of no use to them."""
    uploads = Upload.objects.filter(member=member)
    return {
        "account": {name: getattr(member, name) for name in ("email", "name", "language", "date_joined", "last_login", "is_staff")},
        "addresses": list(EmailAddress.objects.filter(user=member).values("email", "verified", "primary")),
        "teams": list(member.memberships.values("team", "team__name", "leads")),
        "keys": list(ApiKey.objects.filter(member=member).values("name", "scope", "made", "expires", "used", "revoked")),
        "submissions": [_submission(upload) for upload in uploads],
    }


def _submission(upload: Upload) -> dict[str, Any]:
    names = ("key", "suite", "version", "task", "name", "filename", "state", "reason", "made", "queued", "scored", "published")
    return {
        **{name: getattr(upload, name) for name in names},
        "scores": list(upload.revisions.values("version", "scorer", "made", "document")),
        "facts": list(FactSheet.objects.filter(upload=upload).values()),
        "program": SubmittedProgram.objects.filter(upload=upload).values().first(),
    }


def stored_files(upload: Upload) -> list[FieldFile]:
    """Return the stored files of a submission: predictions, the program that made them, the records of its runs."""
    program = program_of(upload)
    return [file for file in (upload.file, *((program.file, program.records) if program else ())) if file.name]


def delete_account(member: Member) -> None:
    """Delete an account with its sessions and keys, and the private data of teams left without members; other teams remain."""
    from gluepot.board.submitting.tasks import forget

    with transaction.atomic():
        teams = list(Team.objects.filter(members=member))
        for team in teams:
            _hand_over(team, member)
        for session in Session.objects.iterator():
            if session.get_decoded().get("_auth_user_id") == str(member.pk):
                session.delete()
        record(str(member.pk), "deleted their account", f"account {member.pk}")
        member.delete()
        for team in teams:
            if not team.memberships.exists():
                Team.objects.filter(pk=team.pk).update(name=GONE)
                forget.defer(team=team.pk)


def forget_team(team: int) -> None:
    """Delete the private submissions of an empty team with their files, and its name from public ones; run by a worker."""
    from gluepot.board.submitting.publication.publishing import publish_sheet

    with transaction.atomic():
        private = Upload.objects.filter(team=team).exclude(state=State.PUBLISHED)
        files = [(file.storage, str(file.name)) for upload in private for file in stored_files(upload)]
        private.delete()
        record("worker", "forgot", f"team {team}")
    for storage, name in files:
        storage.delete(name)
    for upload in Upload.objects.filter(team=team):
        sheet = upload.sheets.filter(state=FactSheet.State.APPROVED).order_by("-pk").first()
        if sheet is not None:
            publish_sheet(sheet.pk)


def _hand_over(team: Team, member: Member) -> None:
    """Make another member the leader of a team that only this member led."""
    others = team.memberships.exclude(member=member).order_by("pk")
    first = others.first()
    if first is not None and not others.filter(leads=True).exists():
        first.leads = True
        first.save(update_fields=["leads"])
