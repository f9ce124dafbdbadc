"""Published submissions: download of the original files, reviewed changes of facts, withdrawal."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core import mail
from tests.board.submitting.people import Visitor
from tests.board.submitting.test_line import facts_for
from tests.board.submitting.test_privacy import published


def test_changed_facts_need_review_and_the_old_ones_stay_public_meanwhile(
    member: Callable[..., Any], work: Callable[[], None], sample: Path
) -> None:
    from gluepot.board.models import System
    from gluepot.board.submitting.publication.decisions import approve, reject

    client = Visitor("ann", member()).client()
    upload = published(client, sample, work)
    room = f"/submissions/{upload.key}"
    client.post(f"{room}/publish", facts_for(upload, family="Decoder"))
    assert System.objects.get().family == "Encoder"
    assert "changed facts wait" in client.get(room).content.decode()
    reject(upload.sheets.get(state="review"), "1", "no source")
    work()
    assert System.objects.get().family == "Encoder"
    assert "no source" in mail.outbox[-1].body
    client.post(f"{room}/publish", facts_for(upload, family="Decoder"))
    approve(upload.sheets.get(state="review"), "1")
    work()
    assert System.objects.get().family == "Decoder"
    assert list(upload.sheets.order_by("pk").values_list("state", flat=True)) == ["approved", "rejected", "approved"]


def test_withdrawn_submission_leaves_the_board_and_keeps_its_history(
    member: Callable[..., Any], work: Callable[[], None], sample: Path
) -> None:
    client = Visitor("ann", member()).client()
    upload = published(client, sample, work)
    room = f"/submissions/{upload.key}"
    assert "cannot come back" in client.get(f"{room}/withdraw").content.decode()
    upload.refresh_from_db()
    assert upload.state == "published"
    client.post(f"{room}/withdraw")
    work()
    upload.refresh_from_db()
    assert upload.state == "withdrawn"
    assert "my-model" not in str(client.get("/api/scores").json()["items"])
    assert list(upload.transitions.order_by("pk").values_list("state", flat=True))[-2:] == ["published", "withdrawn"]
    with zipfile.ZipFile(io.BytesIO(b"".join(client.get(f"{room}/file")))) as archive, zipfile.ZipFile(sample) as sent:
        assert {name: archive.read(name) for name in archive.namelist()} == {
            name.replace(".jsonl", "/test.jsonl"): sent.read(name) for name in sent.namelist()
        }
