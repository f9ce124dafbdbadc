"""A new suite: its declaration and a disposable example task that shows the format."""

from itertools import product
from pathlib import Path

import numpy as np

from gluepot.data.scaffolding.table_files import Row
from gluepot.data.scaffolding.writing import TEMPLATE_VERSION, NewFiles, format_sheet, today
from gluepot.errors import WrongUse
from gluepot.tasks.declarations import read_suite
from gluepot.tasks.search_path import DECLARATION, NAME
from gluepot.tasks.sheets import DERIVED

EXAMPLE = "example"
REMARKS = {
    "license": "of the suite as a whole, as SPDX calls it",
    "order": "the tasks' folders; take the example out, here and below, when there are others",
}
SIZES = {"train": 60, "dev": 20, "test": 40}


def new_suite(folder: Path, language: str, title: str, license_name: str) -> list[str]:
    """Write a suite into a folder that is new or empty; return the paths of its files."""
    if not NAME.fullmatch(folder.name):
        raise WrongUse(f"{folder}: a suite is called by its folder: letters, digits, '-', '_' and '.' only.")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        task = f" A task in it is made by `gluepot new {folder}/TASK --kind … --from FILE`." if (folder / DECLARATION).is_file() else ""
        raise WrongUse(f"{folder} is there already and is left as it is.{task}")
    new = NewFiles(folder)
    new.add_toml(DECLARATION, suite_table(folder.name, language, title, license_name), REMARKS)
    new.add_toml(f"{EXAMPLE}/task.toml", _task(language))
    new.files[f"{EXAMPLE}/sheet.md"] = format_sheet(_sheet(), DERIVED)
    for split, rows in _sums().items():
        new.add_rows(f"data/{EXAMPLE}/{split}.jsonl", rows)
    new.write()
    read_suite(folder.resolve())  # validates what was written
    return list(new.files)


def suite_table(name: str, language: str, title: str, license_name: str, task: str = EXAMPLE) -> dict[str, object]:
    """Return a suite's declaration with one task."""
    return {
        "title": title or name.replace("-", " ").replace("_", " ").title(),
        "summary": "A benchmark that has just begun.",
        "version": "0.1",
        "language": language,
        "license": license_name,
        "citation": "",
        "link": "",
        "order": [task],
        "submission": "jsonl",
        "score-split": "test",
        "overall": {"terms": [[task]], "note": "Mean of the first metric of each task."},
    }


def _task(language: str) -> dict[str, object]:
    return {
        "title": "Example",
        "summary": "A sum is right or wrong: an example in no language, to try everything with and to throw away.",
        "kind": "classification",
        "language": language,
        "domain": ["arithmetic"],
        "metrics": ["macro-f1", "accuracy"],
        "labels": ["right", "wrong"],
        "license": "CC0-1.0",
        "citation": "None: an example.",
        "link": "None: an example.",
        "data": {"files": {split: f"{EXAMPLE}/{split}.jsonl" for split in SIZES}, "rows": SIZES},
        "fields": {"id": "id", "text": "text", "target": "label"},
        "prompt": {
            "prefix": "Sums, right or wrong.",
            "base": "{text}\nAnswer: {label}",
            "instruct": "{text}\n\nIs this sum right or wrong? Answer with one word.",
            "shots": 4,
            "max-tokens": 5,
        },
    }


def _sums() -> dict[str, list[Row]]:
    """Return sums by split, half of each wrong."""
    pairs = [(a, b) for a, b in product(range(2, 20), repeat=2) if a <= b]
    rng = np.random.default_rng(0)
    chosen = rng.permutation(len(pairs))[: sum(SIZES.values())]
    rows, found, start = [], {}, 0
    for number, place in enumerate(chosen):
        a, b = pairs[place]
        off = int(rng.choice([-2, -1, 1, 2])) if number % 2 else 0
        rows.append({"id": f"{EXAMPLE}-{number + 1:03}", "text": f"{a} + {b} = {a + b + off}", "label": "wrong" if off else "right"})
    for split, size in SIZES.items():
        found[split] = rows[start : start + size]
        start += size
    return found


def _sheet() -> dict[str, str]:
    return {
        "Created by": "`gluepot new`.",
        "Publisher(s)": "Nobody: it is an example and no benchmark.",
        "Abstract": "Sums of two numbers, half of them wrong by one or two.",
        "Funded by": "Nobody.",
        "Primary data": "Text.",
        "Nature of the content": "One sum an item, in digits.",
        "Format": "JSON Lines; keys id, text, label. UTF-8.",
        "Data source(s)": "None: the sums are computed.",
        "Data collection method(s)": "Drawn at random from all sums of two numbers from 2 to 19.",
        "Data selection and filtering": "No two items have the same two numbers.",
        "Data preprocessing": "None.",
        "Data labeling": "By construction.",
        "Data last updated": today(),
        "Which changes have been made, compared to the previous version": "None: this is the first version.",
        "This document created": today(),
        "This document last updated": today(),
        "Documentation template version": TEMPLATE_VERSION,
    }
