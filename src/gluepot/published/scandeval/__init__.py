"""ScandEval's Danish part: readers, submission format, and its published named-entity figure."""

from gluepot.metrics import METRICS, Metric
from gluepot.published.scandeval import readers
from gluepot.tasks.formats import FORMATS, SubmissionFormat

__all__ = ["readers"]

IDIOMS = (
    'One file `<task>.jsonl` for each task, with one line `{"id": …, "prediction": …}` for each item; '
    "for the idioms also a CSV file with the columns `talemaade_udtryk` and `predicted_label`."
)
FORMATS.add("scandeval-da", SubmissionFormat("scandeval-da", IDIOMS, table=("danske-talemaader", "all"), table_column="talemaade_udtryk"))
METRICS.add(
    "span-f1-scandeval14",
    Metric(
        "span-f1-scandeval14",
        ("tags",),
        "gluepot.published.scandeval.spans:SpanF1ScandEval14",
        "ScandEval 14's published NER figure: lower-cased tags make runs of 'o' count as spans (defect D1).",
        worst=0.0,
    ),
)
METRICS.add(
    "span-f1-no-misc-scandeval14",
    Metric(
        "span-f1-no-misc-scandeval14",
        ("tags",),
        "gluepot.published.scandeval.spans:SpanF1NoMiscScandEval14",
        "span-f1-scandeval14 with every MISC tag taken as O.",
        worst=0.0,
    ),
)
