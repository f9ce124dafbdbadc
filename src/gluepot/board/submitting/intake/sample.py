"""Sample submissions: random predictions for every item, which pass validation and score at chance level."""

import zipfile
from functools import lru_cache
from io import BytesIO

import msgspec

from gluepot.data.examples import load_examples
from gluepot.data.folders import has_split
from gluepot.errors import GluepotError
from gluepot.models import make_adapter, parse_model
from gluepot.records import Suite, Task
from gluepot.runs.storage.store import plain

SHOWN = 2
LONGEST = 160


def sample_zip(suite: Suite) -> bytes:
    """Return a zip with one file per task, as `gluepot submit` would send it."""
    return _packed(suite.name, suite.version)


@lru_cache(maxsize=4)
def _packed(name: str, version: str) -> bytes:
    from gluepot.tasks.declarations import load_suite

    suite, packed = load_suite(name), BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for task in suite.tasks.values():
            if lines := _lines(task, suite.score_split):
                archive.writestr(f"{task.name}.jsonl", lines)
    return packed.getvalue()


def _lines(task: Task, split: str, most: int | None = None) -> bytes:
    """Return random predictions as JSON lines; empty if the task cannot be answered at random or its data is not on this board."""
    if not has_split(task, split):
        return b""
    examples = load_examples(task, split)[:most]
    adapter = make_adapter(parse_model("random"))
    try:
        adapter.fit(task, [], [])
        rows = [{"id": one.id, "prediction": plain(one.output)} for one in adapter.predict(task, examples)]
    except GluepotError:
        return b""
    return msgspec.json.Encoder().encode_lines(rows)


def sample_lines(suite: Suite) -> str:
    """Return the first lines of the first task's file."""
    for task in suite.tasks.values():
        if lines := _lines(task, suite.score_split, SHOWN):
            return "\n".join(_cut(line) for line in lines.decode().splitlines())
    return ""


def _cut(line: str) -> str:
    """Truncate a line for display.

    >>> _cut("ab" * 100)[-3:]
    'ab…'
    """
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
