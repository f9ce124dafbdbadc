"""BasqueGLUE: how predictions are handed in."""

from gluepot.submissions.formats import FORMATS, Format

SUMMARY = "The data's own shape with the answers in `label` or `tags`, by line order."
FORMATS.add("basqueglue", Format("basqueglue", SUMMARY, own_answers=True))
