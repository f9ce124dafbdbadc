"""Plain-language texts of suites, tasks and task types in several languages: `texts.toml` next to the declaration."""

import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from gluepot.errors import GluepotError, WrongUse
from gluepot.records import Suite, Task
from gluepot.tasks.search_path import find_folder, search_state

FALLBACK = "en"


class PlainText(Struct, frozen=True, forbid_unknown_fields=True):
    """Texts of a suite, task or task type in one language; empty fields fall back to English, or to the declaration."""

    label: str = ""
    """Plain name: `grammar errors`."""
    short: str = ""
    """Short name for a narrow column header: nine letters, or a soft hyphen."""
    summary: str = ""
    words: list[str] = []
    """Additional search terms."""
    findings: dict[str, str] = {}
    """Translations of known anomalies, by their English sentence in `errata.toml` or `accepted.toml`."""


class PlainTexts(Struct, frozen=True):
    """Contents of a `texts.toml`: the type of a task, a short name of its data set, and one table per language."""

    type: str = ""
    languages: dict[str, PlainText] = {}
    data: str = ""
    """Short name of the data set, for a narrow column header."""

    def of(self, language: str, field: str) -> Any:
        """Return a field in a language, falling back to English, then to the empty default."""
        for code in (language, FALLBACK):
            if (text := self.languages.get(code)) is not None and getattr(text, field):
                return getattr(text, field)
        return getattr(PlainText(), field)


@cache
def _read(path: str) -> PlainTexts:
    if not Path(path).is_file():
        return PlainTexts()
    try:
        found = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        languages = {code: msgspec.convert(text, PlainText) for code, text in found.items() if code not in ("type", "data")}
        return PlainTexts(msgspec.convert(found.get("type", ""), str), languages, msgspec.convert(found.get("data", ""), str))
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise WrongUse(f"{path}: {error}") from error


def task_texts(suite: str, task: str) -> PlainTexts:
    """Return the texts of a task as currently declared; empty if the suite is not installed."""
    folder = _folder(suite, search_state())
    return _read(str(folder / task / "texts.toml")) if folder else PlainTexts()


def suite_texts(suite: str) -> PlainTexts:
    folder = _folder(suite, search_state())
    return _read(str(folder / "texts.toml")) if folder else PlainTexts()


@lru_cache(256)
def _folder(suite: str, _state: tuple[object, ...]) -> Path | None:
    """Return the folder of a suite, or None; cached, since pages look up every task and each search scans all folders."""
    try:
        return find_folder(suite)
    except GluepotError:
        return None


@cache
def task_types() -> dict[str, PlainTexts]:
    """Return the named task types, in display order."""
    found = tomllib.loads(files("gluepot.tasks").joinpath("task_types.toml").read_text(encoding="utf-8"))
    return {name: PlainTexts(name, msgspec.convert(texts, dict[str, PlainText])) for name, texts in found.items()}


def type_of(suite: str, task: str) -> str:
    return task_texts(suite, task).type


def type_label(name: str, language: str) -> str:
    """Return the label of a task type; its name if it is unknown.

    >>> type_label("grammar", "en"), type_label("grammar", "sv"), type_label("yodelling", "da")
    ('grammar errors', 'grammatikfel', 'yodelling')
    """
    known = task_types().get(name)
    return str(known.of(language, "label")) if known else name.replace("-", " ")


def task_label(suite: str, task: str, title: str, language: str) -> str:
    """Return the plain-language label of a task, or its title."""
    return str(task_texts(suite, task).of(language, "label")) or title


def short_label(suite: str, task: str, title: str, language: str) -> str:
    """Return the short label of a task, for a column header."""
    texts = task_texts(suite, task)
    return str(texts.of(language, "short") or texts.of(language, "label")) or title


def data_label(suite: str, task: str, title: str) -> str:
    """Return the short name of a task's data set, or the title."""
    return task_texts(suite, task).data or title


def task_summary(task: Task, language: str) -> str:
    return str(task_texts(task.suite, task.name).of(language, "summary")) or task.summary


def suite_summary(suite: Suite, language: str) -> str:
    return str(suite_texts(suite.name).of(language, "summary")) or suite.summary


def translate_finding(suite: str, sentence: str, language: str) -> str:
    """Return the translation of a known anomaly, or the sentence itself."""
    return str(suite_texts(suite).of(language, "findings").get(sentence, sentence))
