"""Regression: a text, or a pair of texts, gets a number on a scale."""

from gluepot.tasks.answers import NUMBER
from gluepot.tasks.kinds import Kind, declare

KIND = declare(Kind("regression", "A text or a pair of texts gets a number.", NUMBER, ("text",), ("pair",), texts=("text", "pair")))
