"""Small synthetic tasks, with or without a defect."""

from collections.abc import Callable
from typing import Any

from gluepot.data.checks import Finding
from gluepot.records import Source, Suite, Task
from gluepot.tasks.declarations import find

Rows = list[dict[str, Any]]
Check = Callable[..., dict[str, Finding]]
LONG = "en lång mening om katten som satt på mattan hela dagen"


def declare(kind: str, fields: dict[str, str], splits: dict[str, int], **more: Any) -> Task:
    """Return a synthetic task with the given published sizes."""
    source = {key: more.pop(key) for key in ("reader", "counts", "unlabelled") if key in more}
    data = Source(files={split: f"{split}.jsonl" for split in splits}, rows=splits, **source)
    facts = {"language": "sv", "domain": ["news"], "metrics": [], "license": "CC-BY-4.0", "citation": "Vi (2024).", "link": "x"}
    return Task(title="Own", summary="Own.", kind=kind, data=data, fields=fields, suite="own", name="task", **facts, **more)


CLASSES = ("classification", {"text": "text", "target": "label"})
PAIRS = ("pair-classification", {"text": "premise", "pair": "hypothesis", "target": "label"})
JUDGED = ("word-pair", {"first": "w1", "second": "w2", "target": "label"})
TAGGED = ("token-labelling", {"tokens": "tokens", "target": "tags"})
CHOICES = ("choice", {"text": "question", "options": "options", "target": "label", "group": "category"})
SENSES = (
    "word-in-context",
    {"text": "s1", "start": "b1", "end": "e1", "pair": "s2", "pair-start": "b2", "pair-end": "e2", "word": "word", "target": "label"},
)
CLEAN: Rows = [{"text": "Solen sken över ån.", "label": "pro"}, {"text": "Regnet föll på bron.", "label": "con"}]


def classes(look: Check, **splits: Rows) -> dict[str, Finding]:
    return look(*CLASSES, splits, labels=["pro", "con"])


def suite_of(*tasks: Task) -> Suite:
    names = {task.name: task for task in tasks}
    return Suite("Own", "Own.", "1", "sv", "x", "x", "x", list(names), find("superlim")[0].overall, "x", name="own", tasks=names)
