"""BasqueGLUE: how predictions are handed in."""

from gluepot.tasks.formats import FORMATS, SubmissionFormat

SUMMARY = "The data's own shape with the answers in `label` or `tags`, by line order."
FORMATS.add("basqueglue", SubmissionFormat("basqueglue", SUMMARY, own_answers=True))
