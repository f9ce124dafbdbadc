"""Coreference: do two marked spans of one text mean the same thing?"""

from gluepot.tasks.answers import LABEL
from gluepot.tasks.kinds import Kind, declare

KIND = declare(
    Kind(
        "coreference",
        "Two spans marked in a text: do they corefer?",
        LABEL,
        ("text", "first", "first-start", "first-end", "second", "second-start", "second-end"),
    )
)
