"""Result files of EuroEval (ScandEval): one line per model and dataset, of any version, normalised to one shape or rejected."""

import json
import re
from collections.abc import Sequence
from math import isclose, isfinite
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from gluepot.records import Task
from gluepot.strict_json import InvalidLineError, decode_strictly

_VARIANT = re.compile(r"(?<!\s)\s*\((?=[^()]*?(?:few-shot|zero-shot|val))([^()]*)\)$")
_NAN = re.compile(rb"(?<=[:\[,\s])NaN(?=\s*[,\]}])")
Name = Annotated[str, Meta(min_length=1, max_length=200)]
Word = Annotated[str, Meta(max_length=200)]
Count = Annotated[int, Meta(ge=-(10**15), le=10**15)]
METRIC_NAMES = {
    "token-labelling": {"micro_f1_no_misc": "span-f1-no-misc-scandeval14", "micro_f1": "span-f1-scandeval14"},
    "span-answer": {"f1": "token-f1", "em": "exact-match"},
    "summary": {"bertscore": "bertscore", "rouge_l": "rouge-l-ascii"},
}
"""Upstream's metric names and ours, by kind of task. Its NER figures count runs of `o` as spans (defect D1) and its ROUGE splits words
at æ, ø and å (D3), in every version: they have names of their own and never share a column with ours."""
OTHERS = {"mcc": "mcc", "macro_f1": "macro-f1", "accuracy": "accuracy"}
LONGEST_LINE = 1024**2


class Results(Struct, frozen=True):
    """Scores by iteration, with upstream's aggregate of them."""

    raw: list[dict[str, Any]] | dict[str, list[dict[str, Any]]]
    total: dict[str, Any] = {}


class Record(Struct, frozen=True):
    """One model on one dataset."""

    dataset: Name
    model: Name
    results: Results
    num_model_parameters: Count | None = None
    max_sequence_length: Count | None = None
    vocabulary_size: Count | None = None
    generative: bool | None = None
    generative_type: Word | None = None
    few_shot: bool | None = None
    validation_split: bool | None = None
    scoring_method: Word | None = None
    scandeval_version: Word | None = None
    euroeval_version: Word | None = None

    @property
    def version(self) -> str:
        """Name and version of the harness; the package was renamed with version 15."""
        if self.euroeval_version is None and self.scandeval_version is not None:
            return f"ScandEval {self.scandeval_version}"
        return f"EuroEval {self.euroeval_version or 'of unknown version'}"

    @property
    def name(self) -> str:
        """Name of the system: the model, with other ways of prompting as systems of their own."""
        plain = _VARIANT.sub("", self.model)
        ways = ["zero-shot"] if self.is_generative and self.shots is False else []
        ways += [self.scoring_method] if self.scoring_method not in (None, "", "mcf") else []
        return f"{plain} ({', '.join(ways)})" if ways else plain

    @property
    def _told(self) -> str:
        """Options that old versions wrote into the model's name: `(few-shot, val)`."""
        told = _VARIANT.search(self.model)
        return told[1] if told else ""

    @property
    def is_generative(self) -> bool:
        return "-shot" in self._told if self.generative is None else self.generative

    @property
    def shots(self) -> bool:
        return "zero-shot" not in self._told if self.few_shot is None else self.few_shot

    @property
    def split(self) -> str:
        validation = "val" in self._told if self.validation_split is None else self.validation_split
        return "val" if validation else "test"

    @property
    def iterations(self) -> Sequence[dict[str, Any]]:
        """Scores of each iteration; the oldest records store them by split."""
        raw = self.results.raw
        return [unprefixed(one) for one in (raw if isinstance(raw, list) else raw.get("test", []))]

    @property
    def totals(self) -> dict[str, Any]:
        """Upstream's own means, and half-widths under the name `<metric>_se`."""
        return unprefixed(self.results.total)

    @property
    def release(self) -> tuple[int, ...]:
        """Version as numbers, to compare the age of records."""
        return tuple(int(number) for number in re.findall(r"\d{1,9}", self.version)[:3])

    def metrics(self, task: Task) -> dict[str, str]:
        """Map upstream's names to ours, for the metrics of the task in this record."""
        known = METRIC_NAMES.get(task.kind, OTHERS)
        return {theirs: ours for theirs, ours in known.items() if any(theirs in one for one in self.iterations)}

    def values(self, task: Task, name: str, *, trust: bool = True) -> list[float] | str:
        """Return a metric's values between 0 and 1 over the iterations, or a description of their fault.

        The aggregate shows whether they are in percent, and must follow from them; without trust in it, the kind of task decides.
        """
        values = []
        for one in self.iterations:
            value = one.get(name)
            if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e9 or not isfinite(value):
                return "an iteration has no number for it."
            values.append(float(value))
        mean, total, percent = fmean(values), self.totals.get(name), task.kind == "span-answer"
        if trust and isinstance(total, int | float) and abs(total) < 1e9 and isfinite(total):
            if isclose(100 * mean, total, rel_tol=1e-6, abs_tol=1e-6):
                percent = False
            elif isclose(mean, total, rel_tol=1e-6, abs_tol=1e-6):
                percent = True
            else:
                return f"the aggregate {total:g} does not follow from the iterations, whose mean is {mean:g}."
        return [value / 100 for value in values] if percent else values


def unprefixed(scores: dict[str, Any]) -> dict[str, Any]:
    """Remove the prefix `test_`, which old and new versions write, but not some between them."""
    return {name.removeprefix("test_"): value for name, value in scores.items()}


def is_record(first: dict[str, Any]) -> bool:
    """Return whether a line looks like a record of any version."""
    return {"dataset", "model", "results"} <= first.keys() or {"schema_version", "model_info", "evaluation_results"} <= first.keys()


def is_record_file(path: Path) -> bool:
    """Return whether the first line of a file is a record."""
    if not path.is_file():  # opening a pipe waits for a writer
        return False
    with path.open("rb") as file:
        try:
            return is_record(decode_strictly(file.readline(LONGEST_LINE).strip()))
        except InvalidLineError:
            return False


def read_record(line: bytes) -> Record:
    """Parse one record; raise InvalidLineError with the reason if it is invalid."""
    found = _decode(line)
    if "schema_version" in found and "evaluation_results" in found:
        found = _flattened(found)
    try:
        return msgspec.convert(found, Record)
    except msgspec.ValidationError as error:
        hint = "A record has dataset, model and results with raw and total."
        raise InvalidLineError("wrong-type", f"not a EuroEval record: {error}.", hint) from error


def _decode(line: bytes) -> dict[str, Any]:
    """Decode strictly, but accept the NaN that upstream writes as the error of a single iteration."""
    return decode_strictly(_NAN.sub(b"null", line) if b"NaN" in line else line)


def _flattened(found: dict[str, Any]) -> dict[str, Any]:
    """Convert a record of version 18 (Every Eval Ever, schema 0.2) to the shape of the older ones."""
    try:
        model, library = found["model_info"], found["eval_library"]
        said, context = model.get("additional_details") or {}, library.get("additional_details") or {}
        results = found["evaluation_results"]
        dataset = context.get("dataset") or results[0]["source_data"]["dataset_name"]
        return {
            "dataset": dataset,
            "model": model["id"],
            "results": {"raw": json.loads(context.get("raw_results") or "[]"), "total": _totals(results)},
            "num_model_parameters": int(said.get("num_model_parameters") or 0),
            "generative": _truth(said.get("generative")),
            "generative_type": said.get("generative_type"),
            "few_shot": _truth(context.get("few_shot")),
            "validation_split": _truth(context.get("validation_split")),
            "scoring_method": context.get("scoring_method"),
            "euroeval_version": library.get("version"),
        }
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError, OverflowError) as error:
        raise InvalidLineError("wrong-type", f"not a EuroEval record: {type(error).__name__} at {str(error)[:60]}.", "") from error


def _totals(results: list[dict[str, Any]]) -> dict[str, Any]:
    totals = {}
    for one in results:
        details = one["score_details"]
        totals[one["evaluation_name"]] = details["score"]
        ends = (details.get("uncertainty") or {}).get("confidence_interval") or {}
        if "lower" in ends and "upper" in ends:
            totals[f"{one['evaluation_name']}_se"] = (ends["upper"] - ends["lower"]) / 2
    return totals


def _truth(text: str | None) -> bool | None:
    return None if text is None else str(text).lower() == "true"
