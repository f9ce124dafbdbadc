"""Span answer: a question is answered with words of the passage."""

from gluepot.tasks.answers import TEXT
from gluepot.tasks.kinds import Kind, declare

KIND = declare(
    Kind(
        "span-answer",
        "A question is answered from a passage.",
        TEXT,
        ("context", "text"),
        ("answer-start",),
        texts=("context", "text"),
        revealing=("answer-start",),
    )
)
