"""Hostile run folders: manipulations meant to crash, deceive or stall the commands that read a run."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.runs.tampering import TASK, edit, predictions, rows, write_rows

from gluepot.runs.evaluation import SCORES, TIMES
from gluepot.runs.storage.store import MANIFEST

Harm = Callable[[Path], None]
DEEP = 200_000
GIGABYTES = 3 * 2**30
ESCAPE = "\x1b]0;owned\x07\x1b[2J\x9b31m\x7f\u202e"
"""Sets the title of a terminal, clears it, colours its text and reverses the text direction."""


def identity(**changes: Any) -> Harm:
    """Return a harm that overrides fields of the manifest's identity."""
    return lambda run: edit(run / MANIFEST, lambda manifest: manifest["identity"].update(changes))


def manifest(**changes: Any) -> Harm:
    return lambda run: edit(run / MANIFEST, lambda found: found.update(changes))


def content(name: str, data: bytes) -> Harm:
    def harm(run: Path) -> None:
        (run / name).parent.mkdir(parents=True, exist_ok=True)
        (run / name).write_bytes(data)

    return harm


def sparse(name: str) -> Harm:
    """Return a harm that extends a file to three gigabytes without using disk space."""

    def harm(run: Path) -> None:
        (run / name).parent.mkdir(parents=True, exist_ok=True)
        with (run / name).open("ab") as stream:
            stream.truncate(GIGABYTES)

    return harm


def pipe(name: str) -> Harm:
    """Return a harm that replaces a file by a named pipe, on which a reader blocks forever."""

    def harm(run: Path) -> None:
        (run / name).parent.mkdir(parents=True, exist_ok=True)
        (run / name).unlink(missing_ok=True)
        os.mkfifo(run / name)

    return harm


def link(name: str) -> Harm:
    """Return a harm that moves a file out of the run and links to it."""

    def harm(run: Path) -> None:
        place = run / name
        place.rename(run.parent / "elsewhere")
        place.symlink_to(run.parent / "elsewhere")

    return harm


def folder(name: str) -> Harm:
    def harm(run: Path) -> None:
        (run / name).unlink(missing_ok=True)
        (run / name).mkdir(parents=True)

    return harm


def row(**changes: Any) -> Harm:
    """Return a harm that adds or overrides fields of every prediction."""
    return lambda run: write_rows(run, [{**one, **changes} for one in rows(run)])


def twice(run: Path) -> None:
    """Duplicate a key: JSON parsers differ in which value they return."""
    text = predictions(run).read_text()
    predictions(run).write_text(text.replace('"prediction":', '"prediction":"none","prediction":', 1))


def twice_in_manifest(run: Path) -> None:
    text = (run / MANIFEST).read_text()
    (run / MANIFEST).write_text(text.replace('"identity":', '"partial": true, "identity":', 1))


ANSWERS = f"predictions/seed-0/{TASK}/test.jsonl"
TRAINING = f"training/seed-0/{TASK}.json"
NEST = b"[" * DEEP + b"]" * DEEP
SETTINGS = json.dumps({"task": f"pocket/{TASK}", "seed": 0, "settings": 3}).encode()
MANIFESTS: dict[str, Harm] = {
    "a manifest nested deeply": content(MANIFEST, b'{"identity": ' + NEST + b"}"),
    "a manifest with a key nested deeply": content(MANIFEST, b'{"more": ' + b'{"a":' * DEEP + b"1" + b"}" * DEEP + b"}"),
    "a manifest that is no UTF-8": content(MANIFEST, b'{"identity": "\xff\xfe"}'),
    "a manifest of zeroes": content(MANIFEST, bytes(4096)),
    "an empty manifest": content(MANIFEST, b""),
    "a manifest that is a list": content(MANIFEST, b"[]"),
    "a manifest that is a number of many digits": content(MANIFEST, b"9" * 10_000),
    "a manifest of three gigabytes": sparse(MANIFEST),
    "a manifest with a key twice": twice_in_manifest,
    "a link for a manifest": link(MANIFEST),
    "no seeds": identity(seeds=[]),
    "a seed twice": identity(seeds=[0, 0]),
    "a negative seed": identity(seeds=[-1]),
    "a seed of many digits": identity(seeds=[10**400]),
    "a million seeds": identity(seeds=list(range(10**6))),
    "seeds that are words": identity(seeds=["0"]),
    "no tasks": identity(tasks=[]),
    "an unknown task": identity(tasks=["../../etc"]),
    "an unknown suite": identity(suite="nonsense"),
    "a suite that is a path": identity(suite="../../etc"),
    "a suite with escapes": identity(suite=ESCAPE),
    "a suite with a zero": identity(suite="a\0b"),
    "an unknown split": identity(split="nonsense"),
    "a split that is a path": identity(split="../../../../../etc/passwd"),
    "a split with a zero": identity(split="a\0b"),
    "a limit that is none": identity(limit=0),
    "a protocol that nobody has": identity(protocol="../../x"),
    "tasks of another type": identity(tasks={"a": 1}),
    "no identity": manifest(identity=None),
}
"""Harms that invalidate the whole run."""
FILES: dict[str, Harm] = {
    "predictions of three gigabytes": sparse(ANSWERS),
    "a pipe for predictions": pipe(ANSWERS),
    "a link for predictions": link(ANSWERS),
    "a link for the folder of predictions": link("predictions"),
    "a link for a task's folder": link(f"predictions/seed-0/{TASK}"),
    "a folder for predictions": folder(ANSWERS),
    "predictions nested deeply": content(ANSWERS, b'{"id": "1", "prediction": ' + NEST + b"}\n"),
    "predictions that are no UTF-8": content(ANSWERS, b'{"id": "1", "prediction": "\xff"}\n'),
    "predictions in one long line": content(ANSWERS, b" " * 40 * 2**20),
    "empty lines": content(ANSWERS, b"\n" * 1_000_000),
    "a key twice": twice,
    "answers with escapes": row(prediction=ESCAPE),
}
"""Harms that invalidate the predictions of one task."""
ODD: dict[str, Harm] = {
    "a model with escapes": identity(model=ESCAPE),
    "a model of a megabyte": identity(model="x" * 900_000),
    "a model at half an address": identity(model="api:m@http://["),
    "a model at an impossible port": identity(model="api:m@http://h:99999999/"),
    "a model with an open quotation mark": identity(model="encoder:'a --x \"b"),
    "no model": identity(model=""),
    "scores of options that are too few": row(scores=[]),
    "scores of options that are huge": row(scores=[1e308, -1e308, 1e308]),
    "a deep scores.json": content(SCORES, b'{"a": ' + NEST + b"}"),
    "a scores.json of three gigabytes": sparse(SCORES),
    "a pipe for scores.json": pipe(SCORES),
    "a link for scores.json": link(SCORES),
    "times that are none": content(TIMES, b'{"a": "b"}'),
    "deep times": content(TIMES, NEST),
    "odd times": content(TIMES, json.dumps({f"{TASK} seed {'9' * 5000}": 1e308, f"{TASK} seed ²": -1}).encode()),
    "times of three gigabytes": sparse(TIMES),
    "a pipe for times": pipe(TIMES),
    "a deep training": content(TRAINING, NEST),
    "a training of another type": content(TRAINING, SETTINGS),
    "a training of three gigabytes": sparse(TRAINING),
    "a pipe for a training": pipe(TRAINING),
    "an odd folder of trials": content(f"trials/{TASK}/seed-0/{'9' * 100}/x", b""),
}
"""Harms that leave the predictions valid."""
HOSTILE = MANIFESTS | FILES | ODD
