"""YAML header of a dataset card: metadata for the hub and configurations for `datasets`."""

from collections.abc import Sequence
from typing import Any

from gluepot.data.export.columns import LABEL, Column
from gluepot.data.export.layout import ExportedSuite, ExportedTask
from gluepot.data.export.licenses import header_fields
from gluepot.records import Task

_CATEGORIES = {
    "classification": "text-classification",
    "pair-classification": "text-classification",
    "regression": "text-classification",
    "word-in-context": "text-classification",
    "coreference": "text-classification",
    "word-pair": "text-classification",
    "token-labelling": "token-classification",
    "choice": "multiple-choice",
    "multi-choice": "multiple-choice",
    "cloze": "question-answering",
    "span-answer": "question-answering",
    "summary": "summarization",
}
"""Hub categories by task kind; any other kind is `other`."""
_SUBTASKS = {
    "regression": "text-scoring",
    "word-pair": "semantic-similarity-scoring",
    "choice": "multiple-choice-qa",
    "span-answer": "extractive-qa",
}
_SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B")


def make_header(exported: ExportedSuite) -> str:
    """Return the header with its fences."""
    from yaml import safe_dump

    tasks = [one.task for one in exported.tasks]
    languages = list(dict.fromkeys(language.replace("_", "-").partition("-")[0].lower() for language in exported.languages))
    fields: dict[str, Any] = {
        "pretty_name": exported.suite.title,
        "language": languages,
        **_dialects(exported.languages),
        "multilinguality": ["monolingual" if len(languages) == 1 else "multilingual"],
        **header_fields(exported.licenses),
        "size_categories": [size_category(exported.examples)],
        "task_categories": _distinct(_CATEGORIES.get(task.kind, "other") for task in tasks),
        **_subtasks(tasks),
        "tags": ["benchmark", "gluepot"],
        "configs": [_config(one) for one in exported.tasks],
        "dataset_info": [_info(one) for one in exported.tasks],
    }
    text: str = safe_dump(fields, sort_keys=False, allow_unicode=True, width=10_000)
    return f"---\n{text}---\n"


def size_category(examples: int) -> str:
    """Return the hub's size category.

    >>> size_category(24), size_category(1_000), size_category(434_000)
    ('n<1K', '1K<n<10K', '100K<n<1M')
    """
    return _SIZES[min(max(len(str(examples)) - 3, 0), len(_SIZES) - 1)]


def _config(one: ExportedTask) -> dict[str, Any]:
    return {"config_name": one.task.name, "data_files": [{"split": split.hub_name, "path": split.path} for split in one.splits]}


def _info(one: ExportedTask) -> dict[str, Any]:
    return {"config_name": one.task.name, "features": [_feature(column) for column in one.columns]}


def _feature(column: Column) -> dict[str, Any]:
    """Return a column as a feature of `datasets`; its older versions read `sequence` too."""
    names = {str(number): label for number, label in enumerate(column.labels)}
    type_: Any = {"class_label": {"names": names}} if column.type == LABEL else column.type
    if column.depth == 0:
        return {"name": column.name, "dtype": type_}
    for _ in range(column.depth - 1):
        type_ = {"sequence": type_}
    return {"name": column.name, "sequence": type_}


def _dialects(languages: Sequence[str]) -> dict[str, list[str]]:
    found = [language for language in languages if "-" in language]
    return {"language_details": found} if found else {}


def _subtasks(tasks: Sequence[Task]) -> dict[str, list[str]]:
    found = _distinct(_SUBTASKS[task.kind] for task in tasks if task.kind in _SUBTASKS)
    return {"task_ids": found} if found else {}


def _distinct(names: Any) -> list[str]:
    return list(dict.fromkeys(names))
