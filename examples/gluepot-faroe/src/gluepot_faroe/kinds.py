"""Task kind: classification of single words."""

from gluepot.answers import LABEL
from gluepot.tasks.kinds import KINDS, Kind

KINDS.add("word-classification", Kind("word-classification", "A word gets one label.", LABEL, ("word",), texts=("word",)))
