"""Sense-annotated occurrences from tables or from CoNLL-U with senses in MISC, and relations between senses."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from gluepot.build.reading.conllu import ConlluSentence, read_conllu
from gluepot.build.reading.tables import TableRow, read_rows
from gluepot.build.workbench import Workbench
from gluepot.errors import WrongUse

SENTENCE = ("sentence_id", "sent_id", "sid")
TEXT = ("sentence", "text", "context")


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Occurrence of a word in a sentence, with its sense."""

    text: str
    start: int
    end: int
    lemma: str
    pos: str
    sense: str
    source: str

    @property
    def word(self) -> str:
        return f"{self.lemma}.{self.pos}" if self.pos else self.lemma


@dataclass
class Relations:
    """Relations of senses: supersenses, synsets, hypernyms of synsets."""

    supersenses: dict[str, str] = field(default_factory=dict)
    synsets: dict[str, str] = field(default_factory=dict)
    hypernyms: dict[str, frozenset[str]] = field(default_factory=dict)

    def one_supersense(self, a: str, b: str) -> bool:
        return bool(self.supersenses.get(a)) and self.supersenses.get(a) == self.supersenses.get(b)

    def related(self, a: str, b: str) -> bool:
        """Return whether two senses share a supersense or synset, or are parent and child or siblings; unknown senses are unrelated."""
        if self.one_supersense(a, b):
            return True
        ours, theirs = self.hypernyms.get(a, frozenset()), self.hypernyms.get(b, frozenset())
        return self.synsets.get(a, a) in theirs or self.synsets.get(b, b) in ours or bool(ours & theirs) or self._one_synset(a, b)

    def _one_synset(self, a: str, b: str) -> bool:
        return a in self.synsets and self.synsets.get(a) == self.synsets.get(b)


def read_senses(bench: Workbench) -> tuple[list[Occurrence], Relations]:
    """Return all occurrences of the inputs and the relations of their senses."""
    relations, rows, sentences = Relations(), list[TableRow](), dict[str, str]()
    found: list[Occurrence] = []
    for path in bench.inputs:
        if path.suffix == ".conllu":
            found += [one for sentence in read_conllu(bench, path) for one in _in_treebank(bench, sentence)]
        else:
            _sort_in(bench, path, rows, sentences, relations)
    for row in rows:
        one = _occurrence(bench, row, sentences)
        if one is not None:
            found.append(one)
            if row.text("supersense"):
                relations.supersenses.setdefault(one.sense, row.text("supersense"))
    return found, relations


def _sort_in(bench: Workbench, path: Path, rows: list[TableRow], sentences: dict[str, str], relations: Relations) -> None:
    """Add a table as occurrences, sentences or relations, depending on its columns."""
    table = read_rows(bench, path, {}, {"sentence_id": SENTENCE[1:], "text": TEXT})
    columns = set(table[0].cells) if table else set()
    if {"start", "end", "sense"} <= columns:
        rows += table
    elif "hypernyms" in columns or "synset" in columns:
        for row in table:
            sense = _coarse(bench, row.text("sense"))
            relations.synsets[sense] = row.text("synset")
            relations.hypernyms[sense] = frozenset(filter(None, re.split(r"[\s,;|]+", row.text("hypernyms"))))
            relations.supersenses.setdefault(sense, row.text("supersense"))
    elif {"sentence_id", "text"} <= columns:
        sentences.update((row.text("sentence_id"), str(row.cells["text"])) for row in table)
    elif columns:
        bench.fault(path, 1, f"neither occurrences (start, end, lemma, sense …), sentences nor relations: {', '.join(sorted(columns))}.")


def _occurrence(bench: Workbench, row: TableRow, sentences: dict[str, str]) -> Occurrence | None:
    text = str(row.cells.get("text") or "") or sentences.get(row.text("sentence_id"), "")
    start, end = row.text("start"), row.text("end")
    if not (start.isdecimal() and end.isdecimal() and int(start) < int(end) <= len(text)):
        why = f"no sentence {row.text('sentence_id')!r}" if not text else f"{start}–{end} is not a span in a text of length {len(text)}"
        bench.fault(row.path, row.line, f"{why}.")
        return None
    sense = _coarse(bench, row.text("sense"))
    lemma = row.text("lemma") or text[int(start) : int(end)].casefold()
    source = row.text("sentence_id") or str(row.line)
    return Occurrence(text, int(start), int(end), lemma, row.text("pos"), sense, f"{row.path.name}#{source}")


def _coarse(bench: Workbench, sense: str) -> str:
    return _separator(str(bench["coarse"])).split(sense, maxsplit=1)[0] if bench["coarse"] else sense


@cache
def _separator(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise WrongUse(f"--coarse {pattern}: no pattern ({error}); write one as in [.-].") from None


def _in_treebank(bench: Workbench, sentence: ConlluSentence) -> Iterator[Occurrence]:
    text, place = sentence.surface_text(), 0
    wanted = re.compile(rf"(?:^|\|){re.escape(bench['sense-key'])}=([^|]+)")
    for number in sentence.surface():
        start, place = place, place + len(sentence.forms[number])
        if found := wanted.search(sentence.misc[number]):
            sense = _coarse(bench, found[1])
            yield Occurrence(text, start, place, sentence.lemmas[number], sentence.tags[number], sense, sentence.source)
        place += not sentence.glued(number)
