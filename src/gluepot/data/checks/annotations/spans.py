"""Checks of spans: character offsets within the text, at word boundaries, and on the named word."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from rapidfuzz.fuzz import ratio

from gluepot.data.checks.findings import LONGEST, Finding, excerpt
from gluepot.data.checks.material import CHECKS, Material, Split
from gluepot.data.examples import getter
from gluepot.plurals import pluralize

MARKS = {
    "word-in-context": (("text", "start", "end", "word"), ("pair", "pair-start", "pair-end", "word")),
    "coreference": (("text", "first-start", "first-end", "first"), ("text", "second-start", "second-end", "second")),
}
"""Kinds with marked spans, with the inputs that hold the text, the offsets and the marked words."""
MESSAGES = {
    "span-range": "outside the text",
    "span-empty": "empty",
    "span-space": "with white space at an end",
    "span-punctuation": "with punctuation at an end",
    "span-cut": "cutting a word",
    "span-mismatch": "not at the words that are named",
}
NOTES = ("span-punctuation",)
SAMPLE = 1000
USUAL = 0.9
"""Share of rows from which on a word is the form in the text and not its lemma."""


class MarkedSpan(NamedTuple):
    """One marked span of one row."""

    row: int
    text: str
    start: int
    end: int
    named: str | None
    """Words the span should cover, if the record names them."""
    exact: bool
    """Whether the named words are the form in the text, not a lemma."""

    @property
    def found(self) -> str:
        return self.text[self.start : self.end]


@CHECKS.register("spans")
def check_spans(material: Material) -> Iterator[Finding]:
    for split in material.splits.values():
        faults: defaultdict[str, list[MarkedSpan]] = defaultdict(list)
        seen = 0
        for names in MARKS.get(material.task.kind, ()):
            for span in read_spans(split, names):
                seen += 1
                for code in judge(span, whole=split.source.reader != "word-spans"):
                    faults[code].append(span)
        for code in MESSAGES:
            if spans := faults.get(code):
                say = material.note if code in NOTES else material.problem
                examples = (f"{split.place(s.row)} {s.start}–{s.end} {_quoted(s)}" for s in spans)
                yield say(code, split.name, f"{len(spans):,} of {pluralize(seen, 'span')} {MESSAGES[code]}", examples, len(spans))


def _quoted(span: MarkedSpan) -> str:
    """Return the marked text in brackets with its context, and the named words if they differ."""
    before, after = span.text[max(0, span.start - 8) : max(0, span.start)], span.text[span.end : span.end + 8]
    found = f'"{before}[{span.found[:LONGEST]}]{after}"'
    return f"{found} for {excerpt(span.named)}" if span.named is not None and span.named != span.found else found


def read_spans(split: Split, names: tuple[str, str, str, str]) -> Iterator[MarkedSpan]:
    """Yield the spans of a split for one set of input names, with the named words from beside the offsets where records have them there."""
    beside = _beside(split, names)
    exact = beside is not None or names[3] != "word" or _mostly_exact(islice(_read(split, names, beside, exact=False), SAMPLE))
    return _read(split, names, beside, exact=exact)


def _read(split: Split, names: tuple[str, str, str, str], beside: Any, *, exact: bool) -> Iterator[MarkedSpan]:
    for row, example in enumerate(split.examples):
        text, start, end, named = map(example.inputs.get, names)
        if isinstance(text, str) and isinstance(start, int) and isinstance(end, int):
            if beside:
                named = beside(split.records[row])
            yield MarkedSpan(row, text, start, end, named if isinstance(named, str) else None, exact)


def _beside(split: Split, names: tuple[str, str, str, str]) -> Any:
    """Return a getter of the `text` beside nested offsets, as in {"text": "hans", "location": {"start": 67, "stop": 71}}."""
    task, source = split.shape.task, split.source
    fields = task.alternative_fields if source is task.alternative and task.alternative_fields else task.fields
    keys = fields.get(names[1], "").split(".")[:-1]
    while keys:
        path = ".".join([*keys, "text"])
        get = getter(path)
        if path != fields.get(names[0]) and split.records and isinstance(get(split.records[0]), str):
            return get
        keys.pop()
    return None


def _mostly_exact(spans: Iterable[MarkedSpan]) -> bool:
    named = [span for span in spans if span.named is not None]
    return bool(named) and sum(s.named == s.found.strip() for s in named) >= USUAL * len(named)


def judge(span: MarkedSpan, *, whole: bool) -> Iterator[str]:
    """Yield the codes of a span's faults; `whole` requires whole words too."""
    text, start, end = span.text, span.start, span.end
    if not 0 <= start <= end <= len(text):
        yield "span-range"
        return
    if not span.found.strip():
        yield "span-empty"
        return
    if whole:
        yield from _ends(span.found)
        if _joins(text, start) or _joins(text, end):
            yield "span-cut"
    if span.named is not None and _differs(span):
        yield "span-mismatch"


def _ends(found: str) -> Iterator[str]:
    if found != found.strip():
        yield "span-space"
    stripped = found.strip()
    if not (stripped[0].isalnum() and stripped[-1].isalnum()):
        yield "span-punctuation"


def _joins(text: str, place: int) -> bool:
    """Return whether a position has a letter on both sides."""
    return 0 < place < len(text) and text[place - 1].isalpha() and text[place].isalpha()


def _differs(span: MarkedSpan) -> bool:
    """Return whether the marked words differ from the named ones; for a lemma, whether a more similar word occurs in the text."""
    named, found = str(span.named), span.found.strip()
    if span.exact:
        return found != named.strip()
    if found[:2].casefold() == named[:2].casefold() or ratio(found.casefold(), named.casefold()) >= 50:
        return False
    return any(ratio(word.casefold(), named.casefold()) >= 75 for word in span.text.split())
