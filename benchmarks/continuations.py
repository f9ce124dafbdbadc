"""Task like HellaSwag for speed measurements: two sentences of a treebank, and which of four sentences comes next."""

import json
from collections.abc import Iterator, Sequence
from os import environ
from pathlib import Path
from random import Random

TREEBANK = "scandeval-da/ud-ddt"
"""Treebank in GLUEPOT_DATA; HellaSwag's own Danish files are available on the Hugging Face Hub only."""
FILES = {"train": "da_ddt-ud-dev.conllu", "test": "da_ddt-ud-test.conllu"}
CONTEXT, OPTIONS = 2, 4
SUITE = """title = "Continuations"
summary = "Which sentence comes next, made of a treebank."
version = "1"
language = "da"
license = "CC-BY-SA-4.0"
citation = "Danish UD treebank."
link = "https://universaldependencies.org"
order = ["next-sentence"]
submission = "jsonl"

[overall]
terms = [["next-sentence"]]
"""
TASK = """title = "Continuations"
summary = "Which of four sentences comes next."
kind = "choice"
language = "da"
domain = ["news"]
metrics = ["accuracy"]
license = "CC-BY-SA-4.0"
citation = "Danish UD treebank."
link = "https://universaldependencies.org"

[data]
files = { train = "next-sentence/train.jsonl", test = "next-sentence/test.jsonl" }

[fields]
id = "id"
text = "text"
options = "options"
target = "label"

[prompt]
base = "{text} {label}"
instruct = "{text}\\n\\n{options}\\n\\nHvad kommer så? Svar med et bogstav."
shots = 5
max-tokens = 5
"""


def treebank() -> Path:
    return Path(environ.get("GLUEPOT_DATA", "")) / TREEBANK


def write_suite(folder: Path) -> str:
    """Write a suite with this one task and its data, and return the task's path."""
    place = folder / "continuations"
    (place / "next-sentence").mkdir(parents=True)
    (place / "suite.toml").write_text(SUITE, encoding="utf-8")
    (place / "next-sentence" / "task.toml").write_text(TASK, encoding="utf-8")
    data = place / "data" / "next-sentence"
    data.mkdir(parents=True)
    for split, name in FILES.items():
        lines = (treebank() / name).read_text(encoding="utf-8").splitlines()
        sentences = [line.removeprefix("# text = ") for line in lines if line.startswith("# text = ")]
        rows = (json.dumps(item, ensure_ascii=False) for item in continuations(sentences, split))
        (data / f"{split}.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return f"{place}/next-sentence"


def continuations(sentences: Sequence[str], prefix: str) -> Iterator[dict[str, object]]:
    """Yield items from consecutive, non-overlapping sentences; the distractors are drawn from the whole text.

    >>> item = next(continuations(["a", "b", "c", "d", "e", "f"], "train"))
    >>> item["id"], item["text"], item["options"][item["label"]]
    ('train-0', 'a b', 'c')
    """
    dice = Random(0)
    for start in range(0, len(sentences) - CONTEXT, CONTEXT + 1):
        right = sentences[start + CONTEXT]
        options, label = _others(sentences, right, dice), dice.randrange(OPTIONS)
        options.insert(label, right)
        yield {"id": f"{prefix}-{start}", "text": " ".join(sentences[start : start + CONTEXT]), "options": options, "label": label}


def _others(sentences: Sequence[str], right: str, dice: Random) -> list[str]:
    """Draw distinct sentences of the text other than the correct one."""
    found: list[str] = []
    while len(found) < OPTIONS - 1:
        one = dice.choice(sentences)
        if one != right and one not in found:
            found.append(one)
    return found
