"""Multi-choice: any number of candidates is right (MuSeRC). An item is one question; its passage is the group."""

from gluepot.tasks.answers import INDEX_SET
from gluepot.tasks.kinds import Kind, declare

KIND = declare(
    Kind("multi-choice", "Any number of candidates is right.", INDEX_SET, ("context", "text", "options"), texts=("context", "text"))
)
