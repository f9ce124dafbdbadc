"""Evidence from which published figures are recomputed: a plug-in of the group `gluepot.evidence`."""

from gluepot.published.russian_superglue import evidence as timings
from gluepot.published.scandeval import evidence as records

__all__ = ["records", "timings"]
