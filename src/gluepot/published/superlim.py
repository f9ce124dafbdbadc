"""Superlim: format of submissions."""

from gluepot.tasks.formats import FORMATS, SubmissionFormat

SUMMARY = "Files `<task>/<split>.jsonl` with the records of the data and your answers in `prediction`, and `<name>.json` about the model."
FORMATS.add("superlim", SubmissionFormat("superlim", SUMMARY, describes=True))
