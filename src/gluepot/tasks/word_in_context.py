"""Word in context: is a marked word used in the same sense in two texts?"""

from gluepot.tasks.answers import LABEL
from gluepot.tasks.kinds import Kind, declare

KIND = declare(
    Kind(
        "word-in-context",
        "A word marked in two texts: one sense or two?",
        LABEL,
        ("text", "start", "end", "pair", "pair-start", "pair-end"),
        ("word",),
        texts=("text", "pair"),
    )
)
