"""Exported copy of a small board, made by a separate process, with the rows that its server returns for some states."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.board.made import make_board, without_board
from tests.once import made_once

import gluepot

ROOT = Path(__file__).parents[2]
SAMPLE = Path(gluepot.__file__).parent / "suites" / "pocket" / "sample"
STATES = [
    "sort=qnli",
    "sort=-parameters",
    "q=org1",
    "fam=Encoder&pmax=1B",
    "lang=da&open=weights",
    "tasks=wic,qnli",
    "tasks=coref,nerc_id,nerc_od,wic&w=coref:0,nerc_id:3",
    "w=qnli:0.5,wic:2,nerc_od:4&sort=name",
    "agg=min",
    "agg=rank&fam=Decoder",
    "agg=copeland&tasks=coref,qnli,wic,bec",
    "miss=hide&sort=-coverage",
    "pin=system-7&q=base",
    "split=dev&sort=-wic",
]
_SCRIPT = """
import json, sys
from pathlib import Path
from gluepot.board.server.setup import open_board
folder = Path(sys.argv[1])
open_board(folder / "board")
from django.test import Client
from gluepot.board.export import export
from gluepot.board.importing import import_paths
from gluepot.board.models import Entry, Score, SuiteVersion
from tests.board.filling import fill
suite = fill(14, "basqueglue")
version = SuiteVersion.objects.get()
version.declaration["overall"]["terms"] = [["wic:accuracy", "wic:mcc"] if term == ["wic"] else term for term in suite.overall.terms]
version.save()
Score.objects.filter(task="coref", entry__digest__in=["6", "13"]).delete()
Score.objects.filter(task="nerc_id", entry__digest__in=["4", "9"]).delete()
for digest in ("4", "5"):
    Score.objects.create(entry=Entry.objects.get(digest=digest), task="nerc", split="test", metric="span-f1", value=0.61, verified=False)
import_paths([Path(sys.argv[3])])
done = export(folder / "copy", paired=3, jobs=2)
client = Client(HTTP_HOST="localhost")
said = {state: client.get(f"/b/basqueglue/{suite.version}.json?{state}").json()["rows"] for state in json.loads(sys.argv[2])}
(folder / "said.json").write_text(json.dumps({"version": suite.version, "broken": done.broken, "files": done.files, "said": said}))
"""
"""The board has terms of two tasks and of two metrics, a value reported for two tasks together, incomplete and reported systems."""


def shared_copy() -> tuple[Path, dict[str, Any]]:
    """Return a shared, read-only copy of a board with the sample on it, and what its export and its server reported."""
    folder = made_once("copy", _make_copy)
    return folder / "copy", json.loads((folder / "said.json").read_text())


def _make_copy(folder: Path) -> None:
    environment = {name: value for name, value in without_board().items() if name != "GLUEPOT_DATA"}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(Path(gluepot.__file__).parents[1])])
    make_board(folder / "board")
    words = [sys.executable, "-c", _SCRIPT, str(folder), json.dumps(STATES), str(SAMPLE)]
    subprocess.run(words, check=True, env=environment, timeout=900)
