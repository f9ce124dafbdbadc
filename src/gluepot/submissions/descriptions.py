"""Description file of a submitted model, with the scores it states: stored for comparison, never trusted."""

from dataclasses import dataclass, field
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from gluepot.strict_json import InvalidLineError, decode_strictly
from gluepot.submissions.opening.entries import SubmissionFile, displayed
from gluepot.submissions.opening.zips import BROKEN, explain
from gluepot.submissions.parsing.lines import BOM, LONGEST_LINE
from gluepot.submissions.problems import Problems

_SHORT_NAMES = {
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
"""Metrics by the short names used in such files; α is the one that the task has."""
Amount = Annotated[int, Meta(ge=0, le=10**15)] | Annotated[float, Meta(ge=0, le=1e15)]
Text = Annotated[str, Meta(max_length=10_000)]


class Model(Struct):
    """Model as described by the file."""

    model_name: Annotated[str, Meta(min_length=1, max_length=200)]
    model_type: Text | None = None
    number_params: Amount | None = None
    data_size: Amount | None = None


class DescriptionFile(Struct):
    """Contents of the file; undefined keys are ignored."""

    model: Model
    repo_link: Text | None = None
    model_card: Text | None = None
    tasks: dict[str, dict[str, dict[str, Any] | None] | None] | None = None


@dataclass
class Description:
    """A submission's description of its model."""

    model: str
    family: str | None = None
    parameters: float | None = None
    data_size: float | None = None
    link: str | None = None
    card: str | None = None
    stated: dict[tuple[str, str, str], float] = field(default_factory=dict)
    counts: dict[tuple[str, str], float] = field(default_factory=dict)
    """Stated number of items, by task and split."""


def read_description(entry: SubmissionFile, problems: Problems, notices: list[str]) -> Description | None:
    """Read a submission's `<name>.json`; None with a problem if it is broken, with a notice if it is not a description."""
    try:
        with entry.open() as stream:
            data = stream.read(LONGEST_LINE + 1)
        if len(data) > LONGEST_LINE:
            raise InvalidLineError("too-large", f"more than {LONGEST_LINE:,} bytes for a model description.", "Shorten it.")
        record = decode_strictly(data.removeprefix(BOM))
        if "model" in record:
            return _describe(msgspec.convert(record, DescriptionFile))
        notices.append(f'{entry.name}: no model description (it has no "model"), ignored')
    except InvalidLineError as error:
        problems.add(error.code, str(error), file=entry.name, hint=error.hint)
    except msgspec.ValidationError as error:
        message = f"not a model description: {displayed(str(error))}."
        problems.add("wrong-type", message, file=entry.name, hint="See the guide on scoring for what it holds.")
    except BROKEN as error:
        problems.add("unreadable", f"cannot be read: {explain(error)}.", file=entry.name, hint="Check the file.")
    return None


def _describe(file: DescriptionFile) -> Description:
    model = file.model
    description = Description(
        displayed(model.model_name), model.model_type, model.number_params, model.data_size, file.repo_link, file.model_card
    )
    for task, splits in (file.tasks or {}).items():
        for split, metrics in (splits or {}).items():
            _read_stated(task, split, metrics or {}, description)
    return description


def _read_stated(task: str, split: str, metrics: dict[str, Any], description: Description) -> None:
    for name, value in metrics.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e15:
            continue
        if name == "N":
            description.counts[task, split] = value
        for ours in _SHORT_NAMES.get(name, ()):
            description.stated[task, split, ours] = float(value)
