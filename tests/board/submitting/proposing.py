"""Programs for tests, submitted to a board instead of predictions."""

import io
import shutil
import zipfile
from typing import Any

import pytest

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
held = bytearray(600 * 1024 * 1024)
for start in range(0, len(held), 4096):
    held[start] = 1
"""


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
