"""Summary: a text is retold in a few sentences."""

from gluepot.tasks.answers import TEXT
from gluepot.tasks.kinds import Kind, declare

KIND = declare(Kind("summary", "A text is retold in a few sentences.", TEXT, ("text",)))
