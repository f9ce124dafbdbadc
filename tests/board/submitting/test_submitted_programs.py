"""Submitted programs: nothing runs before a moderator allows it; then they run in the sandbox, measured and scored."""

import csv
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.core.files.base import ContentFile
from tests.board.submitting.hiding import write_suite
from tests.board.submitting.people import Visitor, make_member, make_moderator
from tests.board.submitting.proposing import ALWAYS, HUNGRY, TASK, allowed, needs_bubblewrap, packed, propose, proposed
from tests.board.submitting.test_line import facts_for

STEADY = ALWAYS.replace("for line", "import time\nfor line").replace("    print", "    time.sleep(0.002)\n    print")
"""Slow enough that its speed is measurable on a busy machine."""
ENDLESS = """
while True:
    print("x" * 1_000_000)
"""
CURIOUS = """
import os, socket, sys
for path in sys.argv[1:-2]:
    if os.path.exists(path):
        sys.exit(f"sees {path}")
try:
    open("/program/new", "w")
    sys.exit("writes into its folder")
except OSError:
    pass
try:
    socket.create_connection(("127.0.0.1", 22), 1)
    sys.exit("reaches the network")
except OSError:
    pass
"""


@needs_bubblewrap
def test_program_is_submitted_run_published_and_marked_as_run_here(
    ann: Any, client_of: Callable[[Any], Any], work: Callable[[], None], small_limits: None, tmp_path: Path
) -> None:
    from gluepot.board.moderation.models import AuditEvent
    from gluepot.board.submitting.publication.decisions import approve

    client = client_of(ann)
    program = proposed(client, STEADY)
    work()
    assert program.upload.state == "proposed"
    assert not program.records.name, "nothing ran"
    allowed(program)
    work()
    program.refresh_from_db()
    upload = program.upload
    assert upload.state == "scored", upload.reason
    assert 10 < program.figures[TASK]["throughput"] < 1000
    assert not any("before its input ends" in note for note in program.figures[TASK]["notes"]), "it answers as it is asked"
    assert program.figures[TASK]["sandbox"] == "bubblewrap"
    line = AuditEvent.objects.get(action="allowed to run")
    assert (line.details["digest"], line.details["reason"]) == (program.digest, "read, harmless")
    assert client.post(f"/submissions/{upload.key}/publish", facts_for(upload)).status_code == 302
    approve(upload.sheets.get(), "1")
    work()
    page = client.get("/b/pocket", follow=True).content.decode()
    assert page.count("ran here") == 2, "in its row and in the legend"
    (row,) = client.get("/b/pocket/1.json").json()["rows"]
    assert row["ran_here"] is True
    (line,) = csv.DictReader(row for row in client.get("/b/pocket/1.csv").content.decode().splitlines() if not row.startswith("#"))
    assert line["ran_here"] == "1"
    (told,) = client.get("/api/suites/pocket/1/standings").json()["rows"]
    assert told["ran_here"] is True
    speed = client.get("/b/pocket/1/performance.json").json()
    assert speed["profile"] == program.figures[TASK]["profile"]["name"]
    assert [point["name"] for point in speed["points"]] == ["my-model"]
    assert recomputed(client, upload, tmp_path) == pytest.approx(program.figures[TASK]["throughput"])


def taken(answer: Any) -> bytes:
    """Return the downloaded content."""
    assert answer.status_code == 200
    data = b"".join(answer.streaming_content)
    answer.close()
    return data


def recomputed(client: Any, upload: Any, place: Path) -> float:
    """Return the throughput that the command computes from the raw records stored on the board."""
    from gluepot.efficiency.figures import find_records, read_figures

    with zipfile.ZipFile(io.BytesIO(taken(client.get(f"/submissions/{upload.key}/records")))) as archive:
        archive.extractall(place)
    (figures,) = read_figures(find_records(place)).measurements
    assert (figures.model, figures.task) == ("my-program", TASK)
    assert figures.throughput is not None
    return figures.throughput


@needs_bubblewrap
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (HUNGRY, "held more than 300 MiB of memory"),
        (ENDLESS, "wrote more than 8 MiB of output"),
        ("print('no JSON')", "it answered 1 of"),
        (ALWAYS.replace('item["labels"][0]', "7"), "its answers cannot be scored"),
    ],
)
def test_program_that_exceeds_a_limit_or_does_not_answer_fails_with_a_reason(
    text: str, reason: str, ann: Any, client_of: Callable[[Any], Any], work: Callable[[], None], small_limits: None
) -> None:
    client = client_of(ann)
    upload = allowed(proposed(client, text)).upload
    work()
    upload.refresh_from_db()
    assert upload.state == "failed"
    assert reason in upload.reason
    assert reason in client.get(f"/submissions/{upload.key}").content.decode()
    assert upload.slots.filter(returned=False).exists(), "it ran"
    assert [letter.subject for letter in mail.outbox] == ["“my-program” ran and came to no score"]


@needs_bubblewrap
def test_program_sees_no_labels_no_board_and_no_paths_in_its_arguments(
    ann: Any, client_of: Callable[[Any], Any], work: Callable[[], None], small_limits: None, open_board: Path, tmp_path: Path
) -> None:
    import gluepot

    secret = tmp_path / "secret"
    secret.write_text("of this machine")
    labels = Path(gluepot.__file__).parent / "suites" / "pocket" / "data"
    assert labels.is_dir()
    words = f"command:python3 model.py {secret} {labels} {open_board}"
    upload = allowed(proposed(client_of(ann), CURIOUS + ALWAYS, command=words)).upload
    work()
    upload.refresh_from_db()
    assert upload.state == "scored", upload.reason


@needs_bubblewrap
def test_program_is_scored_on_hidden_labels_without_revealing_them(
    ann: Any, client_of: Callable[[Any], Any], work: Callable[[], None], small_limits: None, tmp_path: Path
) -> None:
    from gluepot.board.submitting.hidden.labels import store_labels
    from gluepot.board.submitting.models import SubmittedProgram
    from gluepot.tasks.declarations import load_suite
    from gluepot.tasks.search_path import own_search_path

    with own_search_path([write_suite(tmp_path, "ladder")]):
        store_labels(load_suite("hidden"), tmp_path / "answers")
        fields = {"name": "coin", "program": "command:python3 model.py", "tasks": ["coins"], "files": packed(model=ALWAYS)}
        assert client_of(ann).post("/submit/hidden/program", fields).status_code == 302
        program = allowed(SubmittedProgram.objects.get())
        work()
        program.refresh_from_db()
        assert program.upload.state == "scored", program.upload.reason
        (task,) = program.upload.revisions.get().document["tasks"]
        assert task["value"] == 0.5, "77 of 154"
        assert program.figures["coins"]["memory_gib"] > 0
        assert program.figures["coins"]["quality"]["value"] is None, "that is for the private score to tell, as the suite has it"


def test_refused_program_does_not_run_and_its_team_gets_the_reason(
    ann: Any, client_of: Callable[[Any], Any], work: Callable[[], None]
) -> None:
    from gluepot.board.moderation.models import AuditEvent
    from gluepot.board.submitting.programs.permission import refuse
    from gluepot.board.submitting.states import StateError

    client = client_of(ann)
    program = proposed(client)
    refuse(program, "7", program.digest, "it mines coins")
    work()
    upload = program.upload
    upload.refresh_from_db()
    assert (upload.state, program.records.name) == ("refused", "")
    assert "it mines coins" in mail.outbox[0].body
    assert "it mines coins" in client.get(f"/submissions/{upload.key}").content.decode()
    assert not upload.slots.filter(returned=False).exists()
    assert AuditEvent.objects.get(action="refused to run").actor == "7"
    with pytest.raises(StateError, match="refused already"):
        allowed(program)
    assert client.post(f"/submissions/{upload.key}/score").status_code == 302
    upload.refresh_from_db()
    assert upload.state == "refused", "asking for a score is no way around"


def test_content_that_differs_from_the_allowed_one_is_not_run(ann: Any, client_of: Callable[[Any], Any], work: Callable[[], None]) -> None:
    program = allowed(proposed(client_of(ann)))
    program.file.storage.delete(program.file.name)
    program.file.storage.save(program.file.name, ContentFile(packed(model="import os").getvalue()))
    work()
    program.refresh_from_db()
    assert program.upload.state == "failed"
    assert "not what a moderator allowed" in program.upload.reason
    assert (program.records.name, program.ran) == ("", None)


def test_changed_content_is_a_new_submission_that_needs_its_own_permission(ann: Any, client_of: Callable[[Any], Any]) -> None:
    client = client_of(ann)
    first = allowed(proposed(client))
    assert proposed(client).pk == first.pk, "the same content is one submission"
    changed = proposed(client, ALWAYS + "# changed")
    assert (changed.permission, changed.upload.state) == ("asked", "proposed")
    assert changed.digest != first.digest
    assert proposed(client, command="command:python3 model.py --other").permission == "asked"


def test_moderator_decision_needs_a_reason_and_the_digest_shown(ann: Any, client_of: Callable[[Any], Any]) -> None:
    client = Visitor("moderator", make_moderator(), second_factor=True).client()
    program = proposed(client_of(ann))
    place = f"/moderation/submitting/submittedprogram/{program.pk}/change/"
    page = client.get(place).content.decode()
    for shown in (program.digest, "python3 model.py", program.files[0]["sha256"], TASK, "no network"):
        assert shown in page
    assert zipfile.ZipFile(io.BytesIO(taken(client.get(f"/submissions/{program.upload.key}/program")))).namelist() == ["model.py"]
    decision = {"decision": "allow", "why": "", "seen": program.digest}
    assert "The decision needs a reason" in client.post(place, decision).content.decode()
    client.post(place, {"decision": "allow", "why": "fine", "seen": "0" * 64})
    program.refresh_from_db()
    assert program.permission == "asked", "that was another one"
    client.post(place, decision | {"why": "read all of it"})
    program.refresh_from_db()
    assert (program.permission, program.reason, program.upload.state) == ("allowed", "read all of it", "queued")


def test_missing_sandbox_is_reported_and_returns_the_slots(
    ann: Any, client_of: Callable[[Any], Any], work: Callable[[], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    uploads = [
        allowed(proposed(client_of(ann))).upload,
        allowed(proposed(client_of(ann), command=f"container:example.org/model@sha256:{'0' * 64}", files=None)).upload,
    ]
    monkeypatch.setenv("PATH", str(tmp_path))
    work()
    for upload, reason in zip(uploads, ("bubblewrap is not installed", "no container engine runs here"), strict=True):
        upload.refresh_from_db()
        assert upload.state == "failed"
        assert reason in upload.reason
        assert not upload.slots.filter(returned=False).exists()


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"command": "python3 model.py"}, "A program is named as command:"),
        ({"command": "command:"}, "a command line of 1 to"),
        ({"command": "command:python3 'model.py"}, "Close what you quoted"),
        ({"command": "container:example.org/model:latest", "files": None}, "by its reference with its digest"),
        ({"command": f"container:example.org/model@sha256:{'0' * 64}"}, "an image comes without files"),
        ({"tasks": ["stance-vs"]}, "Did you mean"),
        ({"tasks": []}, "needs tasks to be run on"),
        ({"name": " "}, "a name of 1 to 150 characters"),
    ],
)
def test_invalid_program_is_refused_with_the_reason_and_not_stored(
    fields: dict[str, Any], told: str, ann: Any, client_of: Callable[[Any], Any]
) -> None:
    from html import unescape

    from gluepot.board.submitting.models import Upload

    answer = propose(client_of(ann), **fields)
    assert answer.status_code == 422
    assert told in unescape(answer.content.decode())
    assert not Upload.objects.exists()


def test_program_uses_a_slot_of_each_task_on_submission(ann: Any, client_of: Callable[[Any], Any]) -> None:
    from gluepot.board.submitting.intake.quotas import OPEN

    client = client_of(ann)
    for number in range(OPEN):
        proposed(client, f"{ALWAYS}# {number}")
    assert propose(client, "# one more").status_code == 429


def test_programs_are_submitted_by_api_and_visible_to_their_team_only(ann: Any, client_of: Callable[[Any], Any]) -> None:
    from gluepot.board.accounts.models import ApiKey

    program = Visitor("program", key=ApiKey.make(ann, "laptop", "submit")[1]).client()
    fields = {"suite": "pocket", "name": "by-api", "program": "command:python3 model.py", "tasks": "stance-sv,idioms-da"}
    sent = program.post("/api/my/programs", {**fields, "files": packed(model=ALWAYS)})
    assert sent.status_code == 201, sent.content
    told = sent.json()
    assert (told["state"], told["program"]["permission"]) == ("proposed", "asked")
    assert [task["task"] for task in told["tasks"]] == ["stance-sv", "idioms-da"]
    room = f"/api/my/submissions/{told['key']}"
    files = zipfile.ZipFile(io.BytesIO(taken(program.get(f"{room}/program"))))
    assert files.read("model.py").decode() == ALWAYS
    assert program.get(f"{room}/records").status_code == 404
    pinned = {"program": f"container:example.org/model@sha256:{'0' * 64} --large"}
    assert program.post("/api/my/programs", {**fields, **pinned}).json()["program"]["kind"] == "image"
    assert program.post("/api/my/programs", {**fields, "program": "container:model"}).status_code == 422
    stranger = client_of(make_member("bob@example.org"))
    for part in ("", "/program", "/records"):
        assert stranger.get(f"/submissions/{told['key']}{part}").status_code == 404
    reader = Visitor("reader", key=ApiKey.make(ann, "phone", "read")[1]).client()
    assert reader.post("/api/my/programs", fields).status_code == 403


def test_program_is_exported_and_deleted_with_the_account(ann: Any, client_of: Callable[[Any], Any], work: Callable[[], None]) -> None:
    from gluepot.board.accounts.privacy import delete_account, export_account

    program = proposed(client_of(ann))
    with zipfile.ZipFile(io.BytesIO(export_account(ann))) as archive:
        assert program.file.name in archive.namelist()
        assert json.loads(archive.read("account.json"))["submissions"][0]["program"]["words"] == "python3 model.py"
    delete_account(ann)
    work()
    assert not program.file.storage.exists(program.file.name)
