"""Lifecycle of a submission: upload, validation, private score, publication request, approval, publication, and its two emails."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core import mail

FACTS = {
    "name": "my-model",
    "family": "Encoder",
    "parameters": "124M",
    "data_size": "12.5",
    "data_kind": "news",
    "link": "https://example.org/paper",
    "send": "1",
}


def send(client: Any, path: Path, name: str = "my-model", **more: str) -> Any:
    with path.open("rb") as stream:
        return client.post("/submit/pocket", {"name": name, "files": stream, **more})


def facts_for(upload: Any, **more: str) -> dict[str, str]:
    return {**FACTS, **{f"trained-{one['task']}": "train" for one in upload.tasks}, **more}


def test_a_submission_goes_from_the_form_to_the_board(
    member: Callable[..., Any], client_of: Callable[[Any], Any], work: Callable[[], None], sample: Path
) -> None:
    from gluepot.board.submitting.models import Upload
    from gluepot.board.submitting.publication.decisions import approve

    ann = member()
    client = client_of(ann)
    sent = send(client, sample)
    assert sent.status_code == 302, sent.content.decode()
    work()
    upload = Upload.objects.get()
    assert upload.state == "scored", upload.reason
    page = client.get(sent["Location"])
    assert page.status_code == 200
    assert "It would rank 1" in page.content.decode()
    assert "6 facts missing" in page.content.decode()
    incomplete = client.post(f"/submissions/{upload.key}/publish", {"name": "my-model", "send": "1"})
    assert incomplete.status_code == 422
    assert "needed before it can be published" in incomplete.content.decode()
    assert client.post(f"/submissions/{upload.key}/publish", facts_for(upload)).status_code == 302
    work()
    assert [letter.subject for letter in mail.outbox] == ["“my-model” was verified and waits for review"]
    assert client.get("/api/systems").json()["items"] == []
    approve(upload.sheets.get(), "1")
    work()
    upload.refresh_from_db()
    assert upload.state == "published", upload.reason
    assert mail.outbox[1].subject == "“my-model” is published"
    assert [row["name"] for row in client.get("/api/systems").json()["items"]] == ["my-model"]
    assert client.get(f"/s/{upload.system.slug}").status_code == 200
    page = client.get(f"/submissions/{upload.key}")
    assert "Its score is" in page.content.decode()
    assert "would rank" not in page.content.decode()


def test_all_problems_are_reported_together_and_nothing_is_stored(
    member: Callable[..., Any], client_of: Callable[[Any], Any], tmp_path: Path
) -> None:
    from gluepot.board.submitting.models import Slot, Upload

    bad = tmp_path / "stance-sv.jsonl"
    bad.write_text('{"id": "nobody", "prediction": "against"}\n{"id": \n')
    answer = send(client_of(member()), bad, task="stance-sv")
    assert answer.status_code == 422
    text = answer.content.decode()
    for code in ("unknown-id", "broken-json", "missing-id"):
        assert code in text
    assert not Upload.objects.exists()
    assert not Slot.objects.exists()
