"""Proposed roles of a table's columns: inputs, answer and id, by name and then by content."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, floor, isfinite
from typing import Any

from gluepot.answers.form import shown
from gluepot.data.scaffolding.table_files import Row
from gluepot.errors import WrongUse, canonical_name, unknown
from gluepot.plurals import pluralize
from gluepot.tasks import KINDS, Kind

NAMES: dict[str, tuple[str, ...]] = {
    "id": ("id", "idx", "index", "uid", "guid", "item", "item-id", "example-id"),
    "text": ("text", "sentence", "review", "comment", "tweet", "content", "utterance", "document", "article", "body", "message"),
    "pair": ("pair", "hypothesis", "sentence2", "sentence-2", "text2", "text-2", "text-b", "second-sentence"),
    "context": ("context", "passage", "paragraph", "document", "story", "background"),
    "options": ("options", "choices", "candidates", "alternatives", "entities"),
    "tokens": ("tokens", "words"),
    "first": ("first", "word1", "word-1", "worda", "a", "w1", "span1", "span1-text"),
    "second": ("second", "word2", "word-2", "wordb", "b", "w2", "span2", "span2-text"),
    "word": ("word", "lemma", "target-word"),
    "start": ("start", "start1", "start-1"),
    "end": ("end", "end1", "end-1"),
    "pair-start": ("pair-start", "start2", "start-2"),
    "pair-end": ("pair-end", "end2", "end-2"),
    "first-start": ("first-start", "span1-start"),
    "first-end": ("first-end", "span1-end"),
    "second-start": ("second-start", "span2-start"),
    "second-end": ("second-end", "span2-end"),
    "answer-start": ("answer-start",),
    "target": ("target", "label", "gold", "answer", "answers", "class", "category", "sentiment", "score", "rating", "similarity", "tags"),
}
"""Common column names of our fields."""
BY_KIND: dict[str, dict[str, tuple[str, ...]]] = {
    "pair-classification": {"text": ("premise", "sentence1", "sentence-1", "text1", "text-1", "text-a", "question")},
    "regression": {"text": ("sentence1", "sentence-1", "text1", "text-1", "text-a")},
    "word-in-context": {"text": ("sentence1", "sentence-1", "context1")},
    "span-answer": {"text": ("question", "query")},
    "choice": {"text": ("question", "premise", "query", "stem", "prompt")},
    "multi-choice": {"text": ("question", "query")},
    "cloze": {"text": ("query", "question", "sentence")},
    "token-labelling": {"target": ("ner-tags", "pos-tags", "tags", "labels", "ner")},
    "summary": {"target": ("summary", "highlights", "headline", "abstract")},
    "analogy": {"target": ("d", "answer", "target")},
    "word-pair": {"target": ("score", "similarity", "relatedness", "rating", "mean", "label")},
}
"""Column names that take precedence for one kind of task."""
_OPTION = re.compile(r"(?:choice|option|candidate|answer|alternative|ending)[-_ ]?([0-9]+|[a-h])", re.IGNORECASE)
MOST_LABELS = 100


@dataclass
class Proposal:
    """A task proposed from a table."""

    kind: Kind
    fields: dict[str, str]
    rows: dict[str, list[Row]]
    labels: list[str] = field(default_factory=list)
    scale: tuple[float, float] | None = None
    notes: list[str] = field(default_factory=list)


def propose(kind_name: str, rows: dict[str, list[Row]], told: Mapping[str, str], task: str) -> Proposal:
    """Propose fields, answers and ids from a table's rows; `told` are fields named by the user."""
    kind = KINDS[kind_name]
    everything = [row for part in rows.values() for row in part]
    notes = list(_join_options(kind, everything)) + list(_split_tokens(kind, everything, told))
    columns = list(dict.fromkeys(name for row in everything for name in row))
    for ours, theirs in told.items():
        if ours not in kind.fields:
            raise WrongUse(f"--field: {unknown(f'field of a {kind.name} task', ours, kind.fields)}")
        if theirs not in columns:
            raise WrongUse(f"--field {ours}={theirs}: {unknown('column', theirs, columns)}")
    fields = _fields(kind, columns, everything, told)
    notes.append(", ".join(f"{ours} ← {theirs}" for ours, theirs in fields.items()) + (" (guessed)" if len(told) < len(fields) else ""))
    proposal = Proposal(kind, fields, {split: list(part) for split, part in rows.items()}, notes=notes)
    _drop_empty(proposal)
    _drop_repeated(proposal)
    _number_rows(proposal, task)
    _answers(proposal)
    return proposal


def _fields(kind: Kind, columns: Sequence[str], rows: Sequence[Row], told: Mapping[str, str]) -> dict[str, str]:
    fields = dict(told)
    wanted = [*kind.inputs, "target", *kind.optional, "id"]
    for ours in wanted:
        free = [column for column in columns if column not in fields.values()]
        if ours not in fields and (found := _by_name(kind, ours, free)):
            fields[ours] = found
    for ours in ("target", *kind.inputs):
        free = [column for column in columns if column not in fields.values()]
        if ours not in fields and (found := _by_content(kind, ours, free, rows)):
            fields[ours] = found
    if missing := [ours for ours in (*kind.inputs, "target") if ours not in fields]:
        seen = "; ".join(f"{column} ({shown(next((row[column] for row in rows if row.get(column)), ''))})" for column in columns)
        say = " ".join(f"--field {ours}=COLUMN" for ours in missing)
        raise WrongUse(f"which column is {', '.join(missing)} of a {kind.name} task? Say it with {say}. Columns: {seen}.")
    return {ours: fields[ours] for ours in ("id", *kind.inputs, *kind.optional, "target", "group") if ours in fields}


def _by_name(kind: Kind, ours: str, columns: Iterable[str]) -> str | None:
    folded = {canonical_name(column): column for column in columns}
    likely = (*BY_KIND.get(kind.name, {}).get(ours, ()), ours, *NAMES.get(ours, ()))
    return next((folded[name] for name in likely if name in folded), None)


def _by_content(kind: Kind, ours: str, columns: Sequence[str], rows: Sequence[Row]) -> str | None:
    """Return the column whose cells fit the field best: numbers, few distinct values, or long texts."""
    if ours == "target" and kind.answer.by_distance:
        return next((column for column in reversed(columns) if all(_as_number(row.get(column)) is not None for row in rows)), None)
    if ours == "target" and kind.answer.categorical:
        few = [column for column in columns if 1 < len({str(row.get(column)) for row in rows}) <= max(2, min(20, len(rows) // 5))]
        return few[-1] if few else None
    if (ours in kind.texts and ours != "tokens") or ours == "target":
        texts = {column: sum(len(str(row.get(column, ""))) for row in rows) for column in columns if _is_text(column, rows)}
        return max(texts, key=lambda column: texts[column], default=None)
    return None


def _is_text(column: str, rows: Sequence[Row]) -> bool:
    return all(isinstance(row.get(column, ""), str) for row in rows) and not all(_as_number(row.get(column)) is not None for row in rows)


def _as_number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    try:
        number = float(str(value).strip().replace(",", "."))
    except ValueError:
        return None
    return number if isfinite(number) else None


def _join_options(kind: Kind, rows: Sequence[Row]) -> Iterator[str]:
    """Join options in separate columns into one list."""
    if "options" not in kind.inputs or not rows or "options" in rows[0]:
        return
    named = sorted(column for column in rows[0] if _OPTION.fullmatch(column))
    if len(named) < 2:
        return
    for row in rows:
        row["options"] = [cell for column in named if (cell := row.pop(column, None)) not in (None, "")]
    yield f"options ← {', '.join(named)}"


def _split_tokens(kind: Kind, rows: Sequence[Row], told: Mapping[str, str]) -> Iterator[str]:
    """Split tokens and tags in one cell, separated by blanks, into lists."""
    if not kind.answer.per_token:
        return
    columns = {told.get(ours) or _by_name(kind, ours, rows[0]) for ours in ("tokens", "target")}
    for column in sorted(column for column in columns if column and isinstance(rows[0].get(column), str)):
        for row in rows:
            row[column] = _as_list(row[column])
        yield f"{column} is split at blanks"


def _as_list(cell: str) -> list[str]:
    """Split a cell at blanks, or parse a list in brackets.

    >>> _as_list("Tórshavn er fín"), _as_list("['O', 'B-LOC']")
    (['Tórshavn', 'er', 'fín'], ['O', 'B-LOC'])
    """
    listed = cell.strip()
    return re.findall(r"[^\s,'\"]+", listed[1:-1]) if listed.startswith("[") and listed.endswith("]") else listed.split()


def _drop_empty(proposal: Proposal) -> None:
    needed = [proposal.fields[ours] for ours in (*proposal.kind.inputs, "target")]
    gone = 0
    for split, rows in proposal.rows.items():
        kept = [row for row in rows if all(row.get(column) not in (None, "", []) for column in needed)]
        gone += len(rows) - len(kept)
        proposal.rows[split] = kept
    if gone:
        proposal.notes.append(f"{pluralize(gone, 'row')} with an empty {' or '.join(needed)} left out")


def _drop_repeated(proposal: Proposal) -> None:
    """Drop rows that repeat an earlier row of their split word for word."""
    columns = [theirs for ours, theirs in proposal.fields.items() if ours != "id"]
    gone = 0
    for split, rows in proposal.rows.items():
        unique = {repr([row.get(column) for column in columns]): row for row in reversed(rows)}
        gone += len(rows) - len(unique)
        proposal.rows[split] = list(reversed(unique.values()))
    if gone:
        proposal.notes.append(f"{pluralize(gone, 'row')} that repeat{'s' if gone == 1 else ''} an earlier one left out")


def _number_rows(proposal: Proposal, task: str) -> None:
    """Number the rows unless a column holds a unique id for each."""
    rows = [row for part in proposal.rows.values() for row in part]
    column = proposal.fields.get("id")
    if column is not None and len({str(row.get(column)) for row in rows}) == len(rows):
        return
    if column is not None:
        proposal.notes.append(f"{column} is not an id: its values are not unique")
    width, name = len(str(len(rows))), "id" if not any("id" in row for row in rows) else "gluepot_id"
    for number, row in enumerate(rows, start=1):
        row[name] = f"{task}-{number:0{width}}"
    proposal.fields = {"id": name, **{ours: theirs for ours, theirs in proposal.fields.items() if ours != "id"}}
    proposal.notes.append("ids are numbers in the order of the file")


def _answers(proposal: Proposal) -> None:
    """Set labels or scale, and convert answers to the form that the kind takes."""
    column, answer = proposal.fields["target"], proposal.kind.answer
    rows = [row for part in proposal.rows.values() for row in part]
    if answer.by_distance:
        numbers = [_number_or_refuse(row, column) for row in rows]
        for row, number in zip(rows, numbers, strict=True):
            row[column] = number
        proposal.scale = floor(min(numbers)), ceil(max(numbers))
        proposal.notes.append(f"scale {proposal.scale[0]} to {proposal.scale[1]}, from the answers that are there")
    elif answer.per_token:
        proposal.labels = sorted({tag for row in rows for tag in row[column]}, key=lambda tag: (tag != "O", tag.partition("-")[::-1]))
    elif "labels" in answer.needs:
        _labels(proposal, rows, column)
    elif answer.of_options and answer.categorical:
        for row in rows:
            row[column] = _option_numbers(row, column, proposal.fields["options"])


def _labels(proposal: Proposal, rows: Sequence[Row], column: str) -> None:
    for row in rows:
        row[column] = _as_label(row[column])
    counts = Counter(row[column] for row in rows)
    if len(counts) > MOST_LABELS:
        raise WrongUse(f"{column} has {len(counts):,} different values, more than labels have. Name another column: --field target=COLUMN.")
    proposal.labels = sorted(counts, key=lambda label: (_as_number(label) is None, _as_number(label) or 0.0, label))
    proposal.notes.append("labels " + ", ".join(f"{label} {counts[label]:,}" for label in proposal.labels))


def _as_label(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()


def _number_or_refuse(row: Row, column: str) -> float:
    number = _as_number(row[column])
    if number is None:
        raise WrongUse(f"{column}: {shown(row[column])} is not a number, but this kind of task needs numbers.")
    return number


def _option_numbers(row: Row, column: str, options: str) -> Any:
    """Convert the text or letter of an option to its number; leave other forms unchanged."""
    if isinstance(row[options], str):
        row[options] = [option.strip() for option in row[options].split("|")]
    texts, value = list(row[options]), row[column]
    if isinstance(value, str) and value in texts:
        return texts.index(value)
    if isinstance(value, str) and len(value) == 1 and value.isalpha() and ord(value.lower()) - ord("a") < len(texts):
        return ord(value.lower()) - ord("a")
    return int(value) if isinstance(value, str) and value.isdigit() else value
