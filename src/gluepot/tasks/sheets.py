"""Documentation sheets of tasks, in six sections; fields with an asterisk are required.

A task's sheet is `sheet.md` next to its `task.toml`: one heading `## I. Identifying information` per section, one heading
`### Created by` per field, with prose below. Fields that the declaration contains (title, licence, numbers…) are filled in
from it. Official sheets are TSV files with the same sections and fields.
"""

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from gluepot.errors import WrongUse, canonical_name, unknown
from gluepot.metrics import METRICS
from gluepot.records import Task

TEMPLATE: dict[str, tuple[str, ...]] = {
    "I. Identifying information": (
        "Title*",
        "Subtitle",
        "Created by*",
        "Publisher(s)*",
        "Link(s) / permanent identifier(s)*",
        "License(s)*",
        "Abstract*",
        "Funded by*",
        "Cite as",
        "Related datasets",
    ),
    "II. Usage": (
        "Key applications",
        "Intended task(s)/usage(s)",
        "Recommended evaluation measures",
        "Dataset function(s)",
        "Recommended split(s)",
    ),
    "III. Data": (
        "Primary data*",
        "Language*",
        "Dataset in numbers*",
        "Nature of the content*",
        "Format*",
        "Data source(s)*",
        "Data collection method(s)*",
        "Data selection and filtering*",
        "Data preprocessing*",
        "Data labeling*",
        "Annotator characteristics",
    ),
    "IV. Ethics and caveats": ("Ethical considerations", "Things to watch out for"),
    "V. About documentation": (
        "Data last updated*",
        "Which changes have been made, compared to the previous version*",
        "Access to previous versions",
        "This document created*",
        "This document last updated*",
        "Where to look for further details",
        "Documentation template version*",
    ),
    "VI. Other": ("Related projects", "References"),
}
FIELDS = [name for names in TEMPLATE.values() for name in names]
DERIVED = (
    "Title*",
    "Link(s) / permanent identifier(s)*",
    "License(s)*",
    "Cite as",
    "Language*",
    "Dataset in numbers*",
    "Recommended evaluation measures",
    "Recommended split(s)",
)
"""Fields filled in from the declaration."""
_BY_FOLDED = {canonical_name(name.rstrip("*")): name for name in FIELDS}


@dataclass
class Sheet:
    """Documentation sheet: fields by their template names; `sections` returns them in template order."""

    fields: dict[str, str] = field(default_factory=dict)
    odd: list[str] = field(default_factory=list)
    """Fields that are not in the template."""

    def missing(self) -> list[str]:
        """Return the required fields that are empty."""
        return [name for name in FIELDS if name.endswith("*") and not self.fields.get(name, "").strip(" -–")]

    def sections(self) -> Iterable[tuple[str, list[tuple[str, str]]]]:
        for section, names in TEMPLATE.items():
            yield section, [(name, self.fields[name]) for name in names if self.fields.get(name)]


def load_sheet(task: Task) -> Sheet:
    """Load the sheet of a task, with the fields derived from its declaration."""
    path = Path(task.folder) / "sheet.md"
    sheet = read_markdown(path) if path.is_file() else Sheet()
    derived = _from_declaration(task)
    for name in derived:
        if name in sheet.fields:
            raise WrongUse(f"{task.path}/sheet.md: '{name.rstrip('*')}' is taken from task.toml; leave it out here.")
    if sheet.odd:
        raise WrongUse(f"{task.path}/sheet.md: {unknown('field in the template', sheet.odd[0], [n.rstrip('*') for n in FIELDS])}")
    return Sheet({**sheet.fields, **derived})


def read_markdown(path: Path) -> Sheet:
    sheet = Sheet()
    for block in re.split(r"^### +", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        name, _, text = block.partition("\n")
        text = re.split(r"^## +", text, flags=re.MULTILINE)[0]
        _put(sheet, name, text.strip())
    return sheet


def read_official(path: Path) -> Sheet:
    """Read an official sheet: two columns, with further paragraphs of a field in rows without a name."""
    sheet, current = Sheet(), ""
    with path.open(encoding="utf-8-sig", newline="") as lines:
        for row in csv.reader(lines, delimiter="\t"):
            name, text = (row[0].strip() if row else ""), " ".join(row[1:]).strip()
            if name and not re.match(r"^[IV]+\. ", name):
                current = name
                _put(sheet, name, text)
            elif not name and text and current:
                _put(sheet, current, text)
    return sheet


def _put(sheet: Sheet, name: str, text: str) -> None:
    known = _BY_FOLDED.get(canonical_name(name.strip().rstrip("*")))
    if known is None:
        sheet.odd.append(name.strip())
    else:
        sheet.fields[known] = f"{sheet.fields[known]}\n\n{text}" if sheet.fields.get(known) else text


def _from_declaration(task: Task) -> dict[str, str]:
    unit = f" {task.data.counts}" if task.data.counts != "items" else ""
    sizes = ", ".join(f"{split} {rows:,}{unit}" for split, rows in task.data.rows.items())
    labels = f" Labels: {', '.join(task.labels)}." if task.labels and len(task.labels) <= 30 else ""
    measures = "\n".join(f"- {name}: {METRICS[name].summary}" for name in task.metrics)
    numbers = f"{sizes or 'not published'}.{labels}"
    known = (task.title, task.link, task.license, task.citation, task.language, numbers, measures, ", ".join(task.data.files))
    return dict(zip(DERIVED, known, strict=True))
