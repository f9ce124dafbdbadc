"""Plain-language texts of suites and tasks: available in five languages, and short enough for narrow columns."""

import re

import pytest

from gluepot.data.checks.accepted_findings import load_accepted
from gluepot.tasks.declarations import load_suite
from gluepot.tasks.published_results import load_errata
from gluepot.tasks.texts import suite_summary, suite_texts, task_texts, task_types, translate_finding

LANGUAGES = ("sv", "da", "ru", "eu")
SUITES = ("pocket", "superlim", "supersim", "basqueglue", "russian-superglue", "scandeval-da")


@pytest.mark.parametrize("suite", SUITES)
def test_every_task_has_texts_in_five_languages(suite: str) -> None:
    for name in load_suite(suite).tasks:
        texts = task_texts(suite, name)
        assert texts.type in task_types(), name
        assert texts.languages["en"].label, name
        for code in LANGUAGES:
            own = texts.languages[code]
            assert own.label, (name, code)
            assert own.short, (name, code)
            assert own.summary.endswith("."), (name, code)


@pytest.mark.parametrize("suite", SUITES)
def test_every_suite_is_described_in_five_languages(suite: str) -> None:
    declared = load_suite(suite)
    said = {suite_summary(declared, code) for code in ("en", *LANGUAGES)}
    assert len(said) == 5
    assert set(suite_texts(suite).languages) == set(LANGUAGES)


@pytest.mark.parametrize("suite", SUITES)
def test_short_labels_fit_or_break_in_narrow_columns(suite: str) -> None:
    for name in load_suite(suite).tasks:
        for code, text in task_texts(suite, name).languages.items():
            assert max(len(part) for part in re.split("[\u00ad -]", text.short)) <= 10, (name, code, text.short)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", SUITES)
def test_known_errors_on_task_pages_are_translated(name: str, language: str) -> None:
    suite = load_suite(name)
    known = [(one.task, one.reason) for one in (*load_errata(suite).known, *load_accepted(suite))]
    shown = {reason for task, reason in known if task in suite.tasks}
    said = suite_texts(name).languages[language].findings
    assert not shown - set(said), "sentences without a translation"
    assert not set(said) - shown, "translations of sentences that nobody declares any more"
    assert all(translate_finding(name, reason, language) != reason for reason in shown)
