"""What pages say of suites, tasks and types of tasks, in plain words of several languages: `texts.toml` beside the declaration."""

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
    """What one language says of a suite, a task or a type of tasks; what it is silent on is said in English, or as declared."""

    label: str = ""
    """A plain name: `grammar errors`."""
    short: str = ""
    """The same for the head of a narrow column: nine letters, or a soft hyphen."""
    summary: str = ""
    words: list[str] = []
    """What people may also search for."""
    findings: dict[str, str] = {}
    """Known oddities, by the English sentence that `errata.toml` and `accepted.toml` have."""


class PlainTexts(Struct, frozen=True):
    """A `texts.toml`: the type of a task, its data set in a word, and a table a language."""

    type: str = ""
    languages: dict[str, PlainText] = {}
    data: str = ""
    """The data set in a word, for the head of a narrow column."""

    def of(self, language: str, field: str) -> Any:
        """A field in a language, else in English, else empty."""
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
    """The texts of a task as it is declared now; none where the suite is declared nowhere here any more."""
    folder = _folder(suite, search_state())
    return _read(str(folder / task / "texts.toml")) if folder else PlainTexts()


def suite_texts(suite: str) -> PlainTexts:
    folder = _folder(suite, search_state())
    return _read(str(folder / "texts.toml")) if folder else PlainTexts()


@lru_cache(256)
def _folder(suite: str, _state: tuple[object, ...]) -> Path | None:
    """Where a suite is declared: a page asks for every task, and each search looks through all folders."""
    try:
        return find_folder(suite)
    except GluepotError:
        return None


@cache
def task_types() -> dict[str, PlainTexts]:
    """The types of tasks that have a name, in the order in which pages list them."""
    found = tomllib.loads(files("gluepot.tasks").joinpath("task_types.toml").read_text(encoding="utf-8"))
    return {name: PlainTexts(name, msgspec.convert(texts, dict[str, PlainText])) for name, texts in found.items()}


def type_of(suite: str, task: str) -> str:
    return task_texts(suite, task).type


def type_label(name: str, language: str) -> str:
    """What a type of tasks is called; an unknown one by its own name.

    >>> type_label("grammar", "en"), type_label("grammar", "sv"), type_label("yodelling", "da")
    ('grammar errors', 'grammatikfel', 'yodelling')
    """
    known = task_types().get(name)
    return str(known.of(language, "label")) if known else name.replace("-", " ")


def task_label(suite: str, task: str, title: str, language: str) -> str:
    """A task in plain words; its title where nobody wrote any."""
    return str(task_texts(suite, task).of(language, "label")) or title


def short_label(suite: str, task: str, title: str, language: str) -> str:
    """The same for the head of a column."""
    texts = task_texts(suite, task)
    return str(texts.of(language, "short") or texts.of(language, "label")) or title


def data_label(suite: str, task: str, title: str) -> str:
    """A task's data set in a word; its title where nobody shortened it."""
    return task_texts(suite, task).data or title


def task_summary(task: Task, language: str) -> str:
    return str(task_texts(task.suite, task.name).of(language, "summary")) or task.summary


def suite_summary(suite: Suite, language: str) -> str:
    return str(suite_texts(suite.name).of(language, "summary")) or suite.summary


def finding_in(suite: str, sentence: str, language: str) -> str:
    """A known oddity in a language; the sentence itself where nobody translated it."""
    return str(suite_texts(suite).of(language, "findings").get(sentence, sentence))
