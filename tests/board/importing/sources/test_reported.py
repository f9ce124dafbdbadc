"""Import of published results: systems, reported values and known errors."""

from pathlib import Path

import msgspec
import pytest
from tests.board.published import bring_published

from gluepot.records import Suite
from gluepot.tasks.declarations import load_suite, load_suites


@pytest.fixture
def printed(board: Path):
    return bring_published()


def test_every_cell_of_a_system_is_stored_as_reported(printed):
    from gluepot.board.models import Entry, Score

    assert printed.problems == []
    assert {entry.kind for entry in Entry.objects.all()} == {"print"}
    assert Score.objects.filter(verified=True).count() == 0
    paper = Score.objects.get(
        entry__source="Superlim paper, Table 5", entry__system__name="KB/bert-base-swedish-cased", task="swenli", slice=""
    )
    assert (paper.value, paper.metric, paper.split) == (0.179, "alpha-nominal", "test")


def test_percentages_are_divided_and_the_joint_value_keeps_its_name(printed):
    from gluepot.board.models import Score

    nerc = Score.objects.filter(entry__system__name="BERTeus", task="nerc", current=True).get()
    assert nerc.value == pytest.approx(0.8192)
    assert Score.objects.filter(entry__system__name="BERTeus", task="overall", metric="mean").get().value == pytest.approx(0.7323)


def test_human_benchmark_is_a_system_and_single_annotators_are_not(printed):
    from gluepot.board.models import System

    assert not System.objects.filter(name__startswith="Anno").exists()
    assert not System.objects.filter(name="annotators").exists()
    assert set(System.objects.filter(role="human").values_list("name", flat=True)) == {"HUMAN BENCHMARK"}
    trivial = {"Random", "Majority label/Avg", "heuristic majority", "Random weighted", "majority class"}
    assert set(System.objects.filter(role="trivial").values_list("name", flat=True)) == trivial


def test_only_misprints_have_a_reason(printed):
    from gluepot.board.models import Score

    told = Score.objects.exclude(reason="").filter(entry__suite__name="superlim")
    assert {(s.entry.system.name, s.task) for s in told} == {
        ("Decision Tree", "swenli"),
        ("Decision Tree", "overall"),
        ("Random", "overall"),
    }
    assert "misprint" in told.get(entry__system__name="Decision Tree", task="swenli").reason


def test_names_in_tables_and_figures_resolve_to_one_system(printed):
    from gluepot.board.models import Measurement, System

    system = System.objects.get(name="RuBERT plain")
    assert (system.family, system.team) == ("Encoder", "DeepPavlov")
    assert system.entries.count() == 2
    row = Measurement.objects.get(entry__system=system, task="RCB", quantity="throughput")
    assert (row.value, row.reported, row.profile) == (295, 295, "MOROCCO 2021, one GPU (as printed)")


def test_repeated_import_changes_nothing(printed):
    from gluepot.board.importing import import_published
    from gluepot.board.models import Entry, Revision

    entries, number = Entry.objects.count(), Revision.objects.get().number
    again = import_published()
    assert {line.state for line in again.lines} == {"already there"}
    assert (Entry.objects.count(), Revision.objects.get().number) == (entries, number)


@pytest.mark.parametrize("name", [suite.name for suite in load_suites()])
def test_stored_declaration_round_trips(board: Path, name: str):
    from gluepot.board.importing.storage.entries import stored_version
    from gluepot.board.models import SuiteVersion

    stored_version(load_suite(name))
    stored = SuiteVersion.objects.get(name=name)
    assert msgspec.convert(stored.declaration, Suite) == load_suite(name)


def test_aggregates_of_records_are_not_stored_as_scores(printed):
    from gluepot.board.models import Entry

    assert not Entry.objects.filter(suite__name="scandeval-da").exists()


def test_human_score_gets_no_interval_from_unanswered_items(printed):
    """RUSSE has 18,892 items; the published votes cover 1,140."""
    from importlib import import_module

    from django.apps import apps

    from gluepot.board.models import Score

    people = Score.objects.filter(entry__system__role="human", metric="accuracy", task="RUSSE")
    assert [(row.low, row.high, row.method, row.n) for row in people] == [(None, None, "", None)]
    assert Score.objects.get(entry__system__name="Golden Transformer", metric="accuracy", task="RUSSE", current=True).method == "wilson"
    people.update(low=0.799, high=0.811, method="wilson", n=18_892)
    import_module("gluepot.board.migrations.0009_people").forget_guesses(apps, None)
    assert [(row.low, row.high, row.method, row.n) for row in people] == [(None, None, "", None)]
