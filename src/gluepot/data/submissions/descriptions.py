"""The file that describes a submitted model and states its scores: kept for comparison, never believed."""

from dataclasses import dataclass, field
from typing import Any

from gluepot.data.submissions.bundles import Entry
from gluepot.data.submissions.lines import LONGEST_LINE, decode_strictly
from gluepot.data.submissions.problems import Problems

_THEIR_NAMES = {
    "accuracy": ("accuracy",),
    "f1": ("macro-f1",),
    "spearmanr": ("spearman",),
    "pearsonr": ("pearson",),
    "pseudoalpha": ("pseudo-alpha",),
    "parity": ("gender-parity",),
    "alpha": ("alpha-nominal", "alpha-interval"),
    "rouge1": ("rouge-1",),
    "rougeL": ("rouge-l",),
}
"""Superlim's names of metrics to ours; α is whichever the task has."""


@dataclass
class Description:
    """What a submission says of its model."""

    model: str
    family: str | None = None
    parameters: int | None = None
    data_size: float | None = None
    link: str | None = None
    card: str | None = None
    stated: dict[tuple[str, str, str], float] = field(default_factory=dict)
    counts: dict[tuple[str, str], float] = field(default_factory=dict)
    """The number of items stated, by task and split."""


def read_description(entry: Entry, problems: Problems) -> Description | None:
    """A Superlim submission's `<name>.json`; None with a problem if it is none."""
    with entry.open() as stream:
        data = stream.read(LONGEST_LINE + 1)
    try:
        if len(data) > LONGEST_LINE:
            raise ValueError(f"more than {LONGEST_LINE:,} bytes")
        record = decode_strictly(data)
        model = record["model"]
        description = Description(str(model["model_name"]), model.get("model_type"), model.get("number_params"), model.get("data_size"))
        description.link, description.card = record.get("repo_link"), record.get("model_card")
        _read_stated(record.get("tasks") or {}, description)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        problems.add("wrong-type", f"not a model description: {error}.", file=entry.name, hint="See the Superlim submission format.")
        return None
    return description


def _read_stated(tasks: dict[str, Any], description: Description) -> None:
    for task, splits in tasks.items():
        for split, metrics in (splits or {}).items():
            for name, value in (metrics or {}).items():
                if isinstance(value, int | float) and name == "N":
                    description.counts[task, split] = value
                elif isinstance(value, int | float):
                    for ours in _THEIR_NAMES.get(name, ()):
                        description.stated[task, split, ours] = float(value)
