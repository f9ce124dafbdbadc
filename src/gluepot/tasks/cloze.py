"""Cloze: a gap in a query is filled with an entity of the passage (RuCoS)."""

from gluepot.tasks.answers import TEXT
from gluepot.tasks.kinds import Kind, declare

KIND = declare(
    Kind("cloze", "A gap is filled with an entity of the passage.", TEXT, ("context", "text", "options"), texts=("context", "text"))
)
