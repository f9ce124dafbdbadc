"""Superlim: how predictions are handed in."""

from gluepot.tasks.formats import FORMATS, SubmissionFormat

SUMMARY = "Folders `<task>/<split>.jsonl` of gold records with `prediction` added, and `<name>.json` about the model."
FORMATS.add("superlim", SubmissionFormat("superlim", SUMMARY, describes=True))
