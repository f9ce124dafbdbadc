"""Classification: a text gets one label."""

from gluepot.tasks.answers import LABEL
from gluepot.tasks.kinds import Kind, declare

KIND = declare(Kind("classification", "A text gets one label.", LABEL, ("text",)))
