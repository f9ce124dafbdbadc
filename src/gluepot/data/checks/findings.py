"""Findings: results of the checks on a task's files, each a sentence with counts and examples."""

from collections.abc import Sequence

from msgspec import Struct

SHOWN = 3
LONGEST = 60

CODES = {
    "task-absent": "none of a task's files is available",
    "split-absent": "a declared split is missing",
    "file-absent": "a file that was published or fetched with others is missing",
    "file-unexpected": "a file is read along that was not published or fetched with the others",
    "checksum": "a file is not the one that was published, fetched or recorded",
    "checksum-form": "a file differs from the published one in line ends, byte order mark or last newline only",
    "checksum-unknown": "nothing tells what a file should be",
    "size": "a split does not have its published size",
    "size-unpublished": "a split has no published size to compare with",
    "unreadable": "a file cannot be read to its end",
    "malformed": "a record does not have the shape that the reader expects",
    "missing-field": "a record lacks an input",
    "wrong-type": "a value is of another type than its field",
    "unknown-label": "a gold answer is none of the task's labels or options",
    "not-a-number": "a gold number is not finite",
    "too-long": "a gold answer is longer than any answer may be",
    "count-mismatch": "tags and tokens differ in number",
    "missing-label": "an item has no gold answer though its split has them",
    "unexpected-label": "a split that is said to have no answers has some",
    "unused-label": "a declared label never occurs",
    "balance": "the share of each label",
    "label-shift": "train and test differ strongly in their labels",
    "missing-id": "an item has no id where others have one",
    "empty-id": "an id is empty",
    "duplicate-id": "several items of a split have one id",
    "shared-id": "an id occurs in two splits",
    "id-gap": "numbers are missing in a row of ids",
    "empty-text": "a text is empty",
    "wordless-text": "a text has no letter and no digit",
    "empty-option": "an option is empty",
    "duplicate-option": "an item offers the same option twice",
    "duplicate": "a split has the same item several times",
    "contradictory": "the same item has different gold answers",
    "overlap": "the same item stands in two splits",
    "near-overlap": "nearly the same item stands in two splits",
    "shared-text": "one text of an item stands in two splits",
    "wrong-group": "an item disagrees with the group it is put in",
    "span-range": "a span lies outside its text",
    "span-empty": "a span is empty",
    "span-space": "a span begins or ends with white space",
    "span-punctuation": "a span begins or ends with punctuation",
    "span-cut": "a span begins or ends inside a word",
    "span-mismatch": "the text at the offsets is not the one that is named",
    "span-index": "word numbers are counted from 1",
    "off-scale": "a judgment or gold number lies off the task's scale",
    "label-not-mean": "a gold number is not the mean of its judgments",
    "orphan-tag": "an I- tag continues nothing",
    "mojibake": "text was decoded with the wrong character set",
    "control-character": "text holds control characters",
    "invisible-character": "text holds invisible characters",
    "escape": "text holds escapes that were never undone",
    "not-nfc": "text is not in Unicode's normal form C",
    "not-utf-8": "a file is not UTF-8",
    "byte-order-mark": "a file begins with a byte order mark",
    "mixed-line-ends": "a file ends its lines in more than one way",
    "crlf": "a file ends its lines with CR LF",
    "blank-line": "a file has blank lines",
    "no-final-newline": "the last line of a file does not end",
    "odd-keys": "records of one split differ in their keys",
    "sheet-incomplete": "the documentation sheet lacks required fields",
    "official-sheet": "the publisher's sheet lacks required fields",
}
"""Finding codes with their meanings; lists of accepted findings refer to them."""


class Finding(Struct, frozen=True):
    """One finding of a check; notes and accepted findings never make the check fail."""

    code: str
    task: str
    split: str | None
    message: str
    count: int = 1
    examples: list[str] = []
    severity: str = "problem"
    accepted: str | None = None
    """Reason why the suite accepts it."""

    @property
    def counts(self) -> bool:
        """Whether it makes the check fail."""
        return self.severity == "problem" and self.accepted is None

    def __str__(self) -> str:
        place = f"{self.task} {self.split}" if self.split else self.task
        return f"{place}: {self.message} [{self.code}]"


def sentence(message: str, examples: Sequence[str]) -> str:
    """Return a message with its first examples.

    >>> sentence("2 empty ids", ["row 3", "row 7"])
    '2 empty ids: row 3; row 7.'
    """
    if not examples:
        return message if message.endswith(".") else f"{message}."
    return f"{message.removesuffix('.')}: {'; '.join(examples[:SHOWN])}."


def excerpt(text: object) -> str:
    """Return a text as quoted in findings: on one line and shortened.

    >>> excerpt("Katten  satt\\npå mattan.")
    '"Katten satt på mattan."'
    """
    line = " ".join(str(text)[: 4 * LONGEST].split())
    return f'"{line}"' if len(line) <= LONGEST else f'"{line[: LONGEST - 1]}…"'
