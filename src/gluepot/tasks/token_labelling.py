"""Token labelling: every token gets a tag (named entities, slots)."""

from gluepot.tasks.answers import TAGS
from gluepot.tasks.kinds import Kind, declare

KIND = declare(Kind("token-labelling", "Every token gets a tag.", TAGS, ("tokens",), texts=("tokens",)))
