"""Reader for questions and answers in SQuAD format: data, paragraphs, context, questions with answers and their offsets."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gluepot.build.workbench import Workbench


@dataclass(frozen=True)
class ContextQuestion:
    """Question about a context."""

    name: str
    text: str
    context: str
    document: str
    turn: int
    """Turn of a dialogue; 0 otherwise."""
    answers: tuple[tuple[int, str], ...]
    """Start offset and text of each answer; empty if the context does not answer the question."""
    source: str


def read_squad(bench: Workbench, path: Path) -> list[ContextQuestion]:
    try:
        document = json.loads(path.read_bytes().decode("utf-8-sig"))
    except (UnicodeDecodeError, ValueError) as error:
        bench.fault(path, getattr(error, "lineno", None), f"not JSON: {error}.")
        return []
    entries = document.get("data") if isinstance(document, dict) else document
    if not isinstance(entries, list):
        bench.fault(path, None, "SQuAD's form has a list `data` of articles with `paragraphs`.")
        return []
    return [question for number, entry in enumerate(entries) for question in _article(bench, path, entry, number)]


def _article(bench: Workbench, path: Path, entry: Any, number: int) -> Iterator[ContextQuestion]:
    paragraphs = entry.get("paragraphs", [entry] if "context" in entry else []) if isinstance(entry, dict) else []
    title = str(entry.get("title") or "") if isinstance(entry, dict) else ""
    for place, paragraph in enumerate(paragraphs):
        context = paragraph.get("context")
        if not isinstance(context, str) or not isinstance(paragraph.get("qas"), list):
            bench.fault(path, None, f"article {number + 1}, paragraph {place + 1}: no `context` with `qas`.")
            continue
        dialogue = any("followup" in one or "yesno" in one for one in paragraph["qas"] if isinstance(one, dict))
        for turn, one in enumerate(paragraph["qas"]):
            if not isinstance(one, dict) or not isinstance(one.get("question"), str):
                bench.fault(path, None, f"article {number + 1}, paragraph {place + 1}, question {turn + 1}: no `question`.")
                continue
            answers = [] if one.get("is_impossible") else one.get("answers") or []
            found = tuple(dict.fromkeys((int(a["answer_start"]), str(a["text"])) for a in answers if str(a.get("text", "")).strip()))
            name = str(one.get("id", f"{number + 1}.{place + 1}.{turn + 1}"))
            yield ContextQuestion(
                name,
                one["question"].strip(),
                context,
                title or f"{path.name}#{number}",
                turn if dialogue else 0,
                found,
                f"{path.name}#{name}",
            )
