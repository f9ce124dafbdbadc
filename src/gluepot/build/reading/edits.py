"""Learner sentences with corrections: pairs of treebanks, tables, or M2 files."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rapidfuzz.distance import Levenshtein

from gluepot.build.reading.conllu import read_conllu
from gluepot.build.reading.tables import read_lines, read_rows
from gluepot.build.workbench import Workbench

Edit = tuple[int, int, tuple[str, ...], str]
"""Start and end in the corrected tokens, the learner's tokens there, and the type of the error."""

NOTHING = "noop"
"""M2's type of an annotation without an edit."""
DIGITS = 10


@dataclass(frozen=True)
class CorrectedSentence:
    """Corrected sentence as tokens, with its edits."""

    tokens: tuple[str, ...]
    edits: tuple[Edit, ...]
    source: str


def read_corrections(bench: Workbench) -> list[CorrectedSentence]:
    """Return all sentences of the inputs: pairs of treebanks in the same order, tables with original and corrected, or M2 files."""
    treebanks = [path for path in bench.inputs if path.suffix == ".conllu"]
    found: list[CorrectedSentence] = []
    if treebanks:
        found += _treebanks(bench, treebanks)
    for path in bench.inputs:
        if path.suffix == ".m2":
            found += list(_m2(bench, path))
        elif path not in treebanks:
            wanted = {"original": ("source", "learner", "incorrect"), "corrected": ("target", "correction", "correct")}
            for row in read_rows(bench, path, wanted):
                found.append(_compared(row.text("original").split(), row.text("corrected").split(), row.source))
    return found


def _treebanks(bench: Workbench, paths: Sequence[Path]) -> list[CorrectedSentence]:
    if len(paths) % 2:
        bench.fault(paths[0], None, "treebanks come in pairs: the learners' sentences, then their corrections in the same order.")
        return []
    found = []
    for learner, corrected in zip(paths[::2], paths[1::2], strict=True):
        ours, theirs = list(read_conllu(bench, learner)), list(read_conllu(bench, corrected))
        if len(ours) != len(theirs):
            bench.fault(corrected, None, f"sentence by sentence: {len(theirs):,} there, and {len(ours):,} in {learner.name}.")
        for a, b in zip(ours, theirs, strict=False):
            found.append(_compared([a.forms[p] for p in a.surface()], [b.forms[p] for p in b.surface()], b.source))
    return found


def _compared(original: list[str], corrected: list[str], source: str) -> CorrectedSentence:
    """Return the edits of a token-level diff, one token each, so that adjacent errors can be undone separately."""
    edits: list[Edit] = []
    for step in Levenshtein.editops(corrected, original):
        end = step.src_pos + (step.tag != "insert")
        written = () if step.tag == "delete" else (original[step.dest_pos],)
        edits.append((step.src_pos, end, written, {"insert": "extra", "delete": "missing"}.get(step.tag, "other")))
    return CorrectedSentence(tuple(corrected), tuple(edits), source)


def _m2(bench: Workbench, path: Path) -> Iterator[CorrectedSentence]:
    """Yield the sentences of an M2 file with the edits of the first annotator."""
    tokens: list[str] = []
    edits: list[tuple[int, int, tuple[str, ...], str]] = []
    first, annotator = 0, None
    for number, line in enumerate([*read_lines(bench, path), ""], start=1):
        if line.startswith("S "):
            tokens, edits, first, annotator = line[2:].split(), [], number, None
        elif line.startswith("A ") and tokens:
            parts = line[2:].split("|||")
            if len(parts) != 6 or (span := _span(parts[0], parts[1], len(tokens))) is None:
                bench.fault(path, number, f"an edit in M2 has six parts, separated by |||; the first is a span within 0 to {len(tokens)}.")
                continue
            annotator = annotator or parts[5]
            if parts[5] == annotator and parts[1] != NOTHING:
                edits.append((*span, tuple(parts[2].split()), parts[1]))
        elif not line.strip() and tokens:
            yield _applied(tokens, edits, f"{path.name}:{first}")
            tokens = []


def _span(text: str, sort: str, tokens: int) -> tuple[int, int] | None:
    """Return start and end of an edit within the sentence, None if invalid; annotators without corrections write `-1 -1`."""
    numbers = text.split()
    if sort == NOTHING and numbers == ["-1", "-1"]:
        return -1, -1
    if len(numbers) != 2 or not all(number.isdecimal() and len(number) < DIGITS for number in numbers):
        return None
    start, end = map(int, numbers)
    return (start, end) if start <= end <= tokens else None


def _applied(tokens: list[str], edits: Sequence[Edit], source: str) -> CorrectedSentence:
    """Apply the edits, and give the position of each in the corrected tokens."""
    corrected: list[str] = []
    undone: list[Edit] = []
    last = 0
    for start, end, words, sort in sorted(edits):
        if start < last:
            continue
        corrected += tokens[last:start]
        words = () if words == ("-NONE-",) else words
        undone.append((len(corrected), len(corrected) + len(words), tuple(tokens[start:end]), sort))
        corrected += words
        last = end
    return CorrectedSentence((*corrected, *tokens[last:]), tuple(undone), source)
