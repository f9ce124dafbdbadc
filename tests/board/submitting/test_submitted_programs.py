"""Programs that are sent instead of answers: nothing runs before a moderator allows it, and then in the sandbox, measured and scored."""

import io
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.board.submitting.people import make_member
from tests.board.submitting.test_line import facts_for

needs_bubblewrap = pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
TASK = "stance-sv"
ALWAYS = """
import json, sys
for line in sys.stdin:
    item = json.loads(line)
    assert "target" not in item and "label" not in item
    print(json.dumps({"id": item["id"], "prediction": item["labels"][0]}), flush=True)
"""
HUNGRY = """
import sys
held = bytearray(600 * 1024 * 1024)
for start in range(0, len(held), 4096):
    held[start] = 1
"""


@pytest.fixture
def ann(open_board: Path) -> Any:
    return make_member("ann@example.org")


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small, and a measurement that is short and therefore rough."""
    from gluepot.board.submitting.programs import running
    from gluepot.efficiency import measuring

    monkeypatch.setattr(running, "REPEATS", 1)
    monkeypatch.setattr(measuring, "MOST_ROUNDS", 1)
    monkeypatch.setattr(measuring, "ENOUGH", 0.01)
    monkeypatch.setenv("GLUEPOT_PROGRAM_MEMORY", "300")
    monkeypatch.setenv("GLUEPOT_PROGRAM_MINUTES", "2")


def packed(**files: str) -> io.BytesIO:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"{name}.py", text)
    stream.seek(0)
    stream.name = "program.zip"
    return stream


def propose(client: Any, text: str = ALWAYS, command: str = "command:python3 model.py", **more: Any) -> Any:
    fields = {"name": "my-program", "program": command, "tasks": [TASK], "files": packed(model=text), **more}
    return client.post("/submit/pocket/program", {name: value for name, value in fields.items() if value is not None})


def proposed(client: Any, *given: Any, **more: Any) -> Any:
    from gluepot.board.submitting.models import SubmittedProgram

    answer = propose(client, *given, **more)
    assert answer.status_code == 302, answer.content.decode()
    return SubmittedProgram.objects.get(upload__key=answer["Location"].rpartition("/")[2])


def allowed(program: Any) -> Any:
    from gluepot.board.submitting.programs.permission import allow

    allow(program, "1", program.digest, "read, harmless")
    return program


@needs_bubblewrap
def test_a_program_goes_from_the_form_to_the_board_and_is_marked_as_run_here(
    ann: Any, client_of: Callable[[Any], Any], work: Callable[[], None], small_limits: None
) -> None:
    from gluepot.board.moderation.models import AuditEvent
    from gluepot.board.submitting.deciding import approve

    client = client_of(ann)
    program = proposed(client)
    work()
    assert program.upload.state == "proposed"
    assert not program.records.name, "nothing ran"
    allowed(program)
    work()
    program.refresh_from_db()
    upload = program.upload
    assert upload.state == "scored", upload.reason
    assert program.figures[TASK]["throughput"] > 0
    assert program.figures[TASK]["sandbox"] == "bubblewrap"
    line = AuditEvent.objects.get(action="allowed to run")
    assert (line.details["digest"], line.details["reason"]) == (program.digest, "read, harmless")
    assert client.post(f"/submissions/{upload.key}/publish", facts_for(upload)).status_code == 302
    approve(upload.sheets.get(), "1")
    work()
    page = client.get("/b/pocket", follow=True).content.decode()
    assert "ran here" in page
    (row,) = [row for row in client.get("/b/pocket/1.json").json()["rows"] if row["system"] == "my-model"]
    assert row["ran_here"] is True
    speed = client.get("/b/pocket/1/performance.json")
    assert speed.status_code == 200
