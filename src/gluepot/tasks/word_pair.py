"""Word pair: how similar or related are two words?"""

from gluepot.tasks.answers import NUMBER
from gluepot.tasks.kinds import Kind, declare

KIND = declare(
    Kind(
        "word-pair",
        "Two words get a number.",
        NUMBER,
        ("first", "second"),
        ("judgments",),
        texts=("first", "second"),
        revealing=("judgments",),
    )
)
