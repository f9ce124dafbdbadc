"""BasqueGLUE: format of submissions."""

from gluepot.tasks.formats import FORMATS, SubmissionFormat

SUMMARY = "Files in the format of the data, with your answers in `label` or `tags`, in the order of its lines."
FORMATS.add("basqueglue", SubmissionFormat("basqueglue", SUMMARY, own_answers=True))
