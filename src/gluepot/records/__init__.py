"""The records that the stages hand to each other: what is asked, what was answered, what it scored."""

from gluepot.records.declarations import Overall, Prompt, Slices, Source, Suite, Task, TrainingProtocol, Wording
from gluepot.records.results import AllItems, Example, Mean, Prediction, Problem, Result, Said, Score, StatedScore, count_problems

__all__ = [
    "AllItems",
    "Example",
    "Mean",
    "Overall",
    "Prediction",
    "Problem",
    "Prompt",
    "Result",
    "Said",
    "Score",
    "Slices",
    "Source",
    "StatedScore",
    "Suite",
    "Task",
    "TrainingProtocol",
    "Wording",
    "count_problems",
]
