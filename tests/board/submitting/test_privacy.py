"""Privacy: data export, and account deletion that removes private data and anonymises published results."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from tests.board.submitting.people import Visitor
from tests.board.submitting.test_line import facts_for, send

PASSWORD = "correct horse battery"


def published(client: Any, sample: Path, work: Callable[[], None]) -> Any:
    from gluepot.board.submitting.models import Upload
    from gluepot.board.submitting.publication.decisions import approve

    assert send(client, sample).status_code == 302
    work()
    upload = Upload.objects.get(name="my-model")
    client.post(f"/submissions/{upload.key}/publish", facts_for(upload))
    approve(upload.sheets.get(), "1")
    work()
    upload.refresh_from_db()
    assert upload.state == "published", upload.reason
    return upload


def test_data_export_is_one_zip_without_secrets(member: Callable[..., Any], work: Callable[[], None], sample: Path) -> None:
    client = Visitor("ann", member()).client()
    send(client, sample, draft="1")
    answer = client.get("/account/export")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        document = msgspec.json.decode(archive.read("account.json"))
        files = [name for name in archive.namelist() if name.startswith("submissions/")]
    assert document["account"]["email"] == "ann@example.org"
    assert document["submissions"][0]["name"] == "my-model"
    assert len(files) == 1
    assert "argon2" not in str(document)


def test_deletion_removes_private_data_and_anonymises_published_results(
    member: Callable[..., Any], work: Callable[[], None], sample: Path, tmp_path: Path
) -> None:
    from django.core.files.storage import default_storage
    from tests.board.submitting.conftest import varied

    from gluepot.board.accounts.models import ApiKey, Member, Team
    from gluepot.board.models import System
    from gluepot.board.submitting.models import Upload

    ann = member()
    client = Visitor("ann", ann).client()
    public = published(client, sample, work)
    assert System.objects.get().team == "ann"
    send(client, varied(sample, tmp_path / "other.zip", 3), name="draft", draft="1")
    hidden = Upload.objects.get(name="draft")
    ApiKey.make(ann, "x", "submit")
    assert client.post("/account/delete", {"confirm": "1"}).headers["Location"].startswith("/account/reauthenticate/")
    client.post("/account/reauthenticate/", {"password": PASSWORD})
    assert Member.objects.exists()
    assert client.post("/account/delete", {"confirm": "1"}).status_code == 302
    work()
    assert not Member.objects.exists()
    assert not ApiKey.objects.exists()
    assert list(Upload.objects.values_list("key", flat=True)) == [public.key]
    assert not default_storage.exists(hidden.file.name)
    assert System.objects.get().team == ""
    assert Team.objects.get().name == ""
    assert client.get("/submissions").status_code == 302


def test_shared_team_gets_a_new_lead_when_its_lead_leaves(open_board: Path) -> None:
    from tests.board.submitting.people import make_member

    from gluepot.board.accounts.models import Membership
    from gluepot.board.accounts.privacy import delete_account
    from gluepot.board.accounts.teams import make_team

    ann, bob = make_member("ann@example.org"), make_member("bob@example.org")
    glue = make_team(ann, "glue")
    Membership.objects.create(team=glue, member=bob)
    delete_account(ann)
    assert list(glue.memberships.values_list("member__email", "leads")) == [("bob@example.org", True)]


def test_privacy_page_needs_no_account_and_reading_sets_no_cookie(open_board: Path) -> None:
    client = Visitor("nobody").client()
    for language in ("", "/sv", "/da", "/ru", "/eu"):
        assert client.get(f"{language}/account/privacy").status_code == 200
    client.get("/")
    assert not client.cookies
