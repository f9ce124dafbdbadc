"""Join of votes to the rows of a task: by declared fields, by item names, or by fields with the same name."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from unicodedata import normalize

from msgspec import Struct

from gluepot.data.examples import ABSENT, getter, load_examples, read_records
from gluepot.data.folders import has_split, split_name
from gluepot.errors import DataMissing, WrongUse
from gluepot.people.formats.columns import folded
from gluepot.people.votes import Vote, VoteTable
from gluepot.records import Example, Suite, Task, VoteJoin
from gluepot.tasks import KINDS

_MARKS = re.compile(r"</?b>", re.IGNORECASE)
_MARKED = re.compile(r"<b>(.*?)</b>", re.IGNORECASE | re.DOTALL)
Key = tuple[str, ...]
ENOUGH = 0.9
"""Proportion of items found in a split above which further splits are not tried."""


class JoinAccount(Struct, frozen=True):
    """Outcome of joining the items of votes to the rows of a task."""

    by: str
    """Description of the join key."""
    split: str
    items: int
    items_found: int
    items_without_gold: int
    gold_rows: int
    gold_rows_found: int
    gold_rows_without_votes: int
    votes_without_gold: int
    same_rater_twice: int
    """Number of votes by a rater on an item that they had already voted on."""
    unlike_gold_rows: int = 0
    """Number of items that match several rows with different answers."""


@dataclass
class JoinedVotes:
    """Votes with the row that each item matches."""

    task: Task
    split: str
    votes: list[Vote]
    """Renamed to the id of the item's row, or to `? item` if there is none."""
    examples: dict[str, Example]
    """Row of each item that was found."""
    account: JoinAccount
    rows: list[Example] = field(default_factory=list)
    """All rows of the split."""


def join_votes(suite: Suite, task: Task, table: VoteTable, split: str | None = None) -> JoinedVotes:
    """Join votes to the requested split, or to the one in which most items are found."""
    names = [split_name(task, split)] if split else _splits(suite, task)
    there = [name for name in names if has_split(task, name)]
    if not there:
        load_examples(task, names[0])  # raises with instructions for downloading it
        raise DataMissing(f"{task.path}: no split is available.")
    best = _join(task, there[0], table)
    for name in there[1:]:
        if best.account.items_found >= ENOUGH * best.account.items:
            break
        best = max(best, _join(task, name, table), key=lambda one: one.account.items_found)
    if not best.account.items_found:
        raise WrongUse(_nothing_found(task, table, there))
    return best


def _splits(suite: Suite, task: Task) -> list[str]:
    """Return all splits, the scored one first."""
    known = list(dict.fromkeys(name for source in task.sources for name in source.files))
    return sorted(known, key=lambda name: name != suite.score_split)


def _join(task: Task, split: str, table: VoteTable) -> JoinedVotes:
    examples = load_examples(task, split)
    finder = min(_finders(task, split, examples, table.votes), key=lambda one: -len(one.found(table.votes)))
    row_of = finder.found(table.votes)
    votes, names, found = [], {}, {}
    for vote in table.votes:
        identity = _identity(vote)
        rows = row_of.get(identity)
        if rows:
            found[examples[rows[0]].id] = rows
            names[identity] = examples[rows[0]].id
        votes.append(_renamed(vote, names.get(identity, f"? {vote.item}")))
    return JoinedVotes(
        task,
        split,
        votes,
        {name: examples[rows[0]] for name, rows in found.items()},
        _account(finder, split, votes, found, examples),
        examples,
    )


def _account(finder: "_Finder", split: str, votes: list[Vote], found: Mapping[str, list[int]], examples: list[Example]) -> JoinAccount:
    items = {vote.item for vote in votes}
    rows = {row for several in found.values() for row in several}
    return JoinAccount(
        by=finder.by,
        split=split,
        items=len(items),
        items_found=len(items & found.keys()),
        items_without_gold=len(items - found.keys()),
        gold_rows=len(examples),
        gold_rows_found=len(rows),
        gold_rows_without_votes=len(examples) - len(rows),
        votes_without_gold=sum(vote.item not in found for vote in votes),
        same_rater_twice=repeated(votes),
        unlike_gold_rows=sum(len({repr(examples[row].target) for row in several}) > 1 for several in found.values()),
    )


def repeated(votes: Sequence[Vote]) -> int:
    """Return the number of votes by a rater on an item that they had already voted on."""
    return len(votes) - len({(vote.item, vote.rater) for vote in votes})


def _renamed(vote: Vote, item: str) -> Vote:
    from msgspec.structs import replace

    return replace(vote, item=item)


def _identity(vote: Vote) -> Key:
    return (vote.item, *vote.inputs.values())


class _Finder:
    """Strategy for finding the rows of items."""

    def __init__(self, by: str, rows: Mapping[Key, list[int]]) -> None:
        self.by, self.rows = by, rows

    def keys(self, vote: Vote) -> Iterator[Key]:
        yield (vote.item,)

    def found(self, votes: Sequence[Vote]) -> dict[Key, list[int]]:
        """Return the rows of each item that has any."""
        found: dict[Key, list[int]] = {}
        for vote in votes:
            identity = _identity(vote)
            if identity not in found:
                found[identity] = next((self.rows[key] for key in self.keys(vote) if key in self.rows), [])
        return {identity: rows for identity, rows in found.items() if rows}


class _ByFields(_Finder):
    """Match by the text of some fields, ignoring markup, white space and the characters that the rule drops."""

    def __init__(self, rule: VoteJoin, records: Sequence[Mapping[str, Any]]) -> None:
        self.rule = rule
        self.words = {self._normal(said): meant for said, meant in rule.words.items()}
        fields = [*rule.fields, *([rule.marked] if rule.marked else [])]
        gets = [getter(field) for field in fields]
        rows: dict[Key, list[int]] = {}
        for number, record in enumerate(records):
            values = [get(dict(record)) for get in gets]
            if ABSENT not in values:
                rows.setdefault(tuple(self._normal(_text(value)) for value in values), []).append(number)
        super().__init__(", ".join(fields), rows)

    def keys(self, vote: Vote) -> Iterator[Key]:
        try:
            said = [vote.inputs[column] for column in self.rule.fields.values()]
        except KeyError:
            return
        key = tuple(self.words.get(normal, normal) for normal in map(self._normal, said))
        if not self.rule.marked:
            yield key
            return
        parts = [self._normal(part) for text in vote.inputs.values() for part in _MARKED.findall(text)]
        for part in sorted(dict.fromkeys(parts), key=lambda part: part in key):  # a part that equals another field is less likely
            yield (*key, part)

    def _normal(self, text: str) -> str:
        text = _MARKS.sub("", normalize("NFC", text))
        for gone in self.rule.drop:
            text = text.replace(gone, "")
        return " ".join(text.split())


def _text(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _finders(task: Task, split: str, examples: list[Example], votes: Sequence[Vote]) -> Iterator[_Finder]:
    """Yield the declared rule, then those that need no declaration."""
    inputs = votes[0].inputs if votes else {}
    records = list(read_records(task, split)[2]) if inputs else []
    if task.votes and set(task.votes.fields.values()) <= inputs.keys():
        yield _ByFields(task.votes, records)
    names: dict[Key, list[int]] = {}
    for number, example in enumerate(examples):
        names.setdefault((example.id,), []).append(number)
    yield _Finder("the name of the item", names)
    if inputs and (guessed := _guess(task, inputs)):
        yield _ByFields(guessed, records)


def _guess(task: Task, inputs: Mapping[str, str]) -> VoteJoin | None:
    """Guess the fields to join on from the column names in the task's files or its declaration."""
    kind = KINDS[task.kind]
    columns = {folded(column): column for column in inputs}
    fields = {}
    for ours in kind.inputs + kind.optional:
        theirs = task.fields.get(ours, "")
        column = columns.get(folded(theirs.rpartition(".")[2])) or columns.get(folded(ours))
        if theirs and column and not _is_no_text(ours):
            fields[theirs] = column
    needed = {task.fields[name] for name in kind.inputs if name in task.fields and not _is_no_text(name)}
    return VoteJoin(fields, drop=['"']) if needed and needed <= fields.keys() else None  # some of them would merge distinct items


def _is_no_text(name: str) -> bool:
    return name.endswith(("start", "end")) or name in ("options", "tokens")


def _nothing_found(task: Task, table: VoteTable, splits: Sequence[str]) -> str:
    vote = table.votes[0]
    columns = ", ".join(vote.inputs) or "a name alone"
    wanted = f"its [votes] names {', '.join(task.votes.fields.values())}" if task.votes else f"it has no [votes] in {task.name}/task.toml"
    return (
        f"{task.path}: no item of the votes is a row of {', '.join(splits)}; first: {vote.item[:80]!r}. Items are found by their names or "
        f"by equal texts; the votes have {columns}, {wanted}."
    )
