"""Task kinds: the inputs of an item and the form of its answer."""

from dataclasses import dataclass

from gluepot.answers import ENTITY, INDEX, INDEX_SET, LABEL, NUMBER, SUMMARY, TAGS, TEXT, WORD, Answer
from gluepot.registry import Registry


@dataclass(frozen=True)
class Kind:
    """Task kind, shared by adapters, readers and pages."""

    name: str
    summary: str
    answer: Answer
    inputs: tuple[str, ...]
    """Required input fields."""
    optional: tuple[str, ...] = ()
    texts: tuple[str, ...] = ("text",)
    """Inputs with running text, for checks and for models that read text."""

    revealing: tuple[str, ...] = ()
    """Fields that reveal the answer: available for training and checks, withheld at prediction."""

    placeholders: tuple[str, ...] = ()
    """Placeholders of prompts besides the inputs."""

    @property
    def fields(self) -> tuple[str, ...]:
        """Names allowed in `[fields]` of a task of this kind."""
        return (*self.inputs, *self.optional, "id", "target", "group")


KINDS: Registry[Kind] = Registry("task kind")


for _kind in (
    Kind("classification", "A text gets one label.", LABEL, ("text",)),
    Kind("pair-classification", "Two texts get one label.", LABEL, ("text", "pair"), texts=("text", "pair")),
    Kind("regression", "A text or a pair of texts gets a number.", NUMBER, ("text",), ("pair",), texts=("text", "pair")),
    Kind(
        "word-in-context",
        "A word marked in two texts: one sense or two?",
        LABEL,
        ("text", "start", "end", "pair", "pair-start", "pair-end"),
        ("word",),
        texts=("text", "pair"),
    ),
    Kind(
        "coreference",
        "Two spans marked in a text: do they corefer?",
        LABEL,
        ("text", "first", "first-start", "first-end", "second", "second-start", "second-end"),
        placeholders=("marked",),
    ),
    Kind("token-labelling", "Every token gets a tag.", TAGS, ("tokens",), texts=("tokens",), placeholders=("text",)),
    Kind("choice", "One of several candidates is right.", INDEX, ("text", "options"), ("context",), texts=("context", "text")),
    Kind(
        "multi-choice",
        "Any number of candidates is right.",
        INDEX_SET,
        ("context", "text", "options"),
        texts=("context", "text"),
        placeholders=("option",),
    ),
    Kind("cloze", "A gap is filled with an entity of the passage.", ENTITY, ("context", "text", "options"), texts=("context", "text")),
    Kind(
        "span-answer",
        "A question is answered from a passage.",
        TEXT,
        ("context", "text"),
        ("answer-start",),
        texts=("context", "text"),
        revealing=("answer-start",),
        placeholders=("question",),
    ),
    Kind("analogy", "a is to b as c is to what?", WORD, ("a", "b", "c"), texts=("a", "b", "c")),
    Kind(
        "word-pair",
        "Two words get a number.",
        NUMBER,
        ("first", "second"),
        ("judgments",),
        texts=("first", "second"),
        revealing=("judgments",),
    ),
    Kind("summary", "A text is retold in a few sentences.", SUMMARY, ("text",)),
):
    KINDS.add(_kind.name, _kind)
