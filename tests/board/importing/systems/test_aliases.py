"""Spellings of one system: similar names are reported, and declared aliases are merged."""

import pytest
from tests.board.views.answering import add_score, add_system, open_suite

ALIAS, NAME = "KBLab/mt-bert-l-sw-c-165k", "KBLab/megatron-bert-large-swedish-cased-165k"


@pytest.fixture
def bring(board):
    from gluepot.board.importing import import_paths

    return lambda *paths, **wishes: import_paths(paths, **wishes)


def test_other_spelling_is_reported_with_the_existing_name(bring, make_run):
    assert bring(make_run("encoder:honest/model")).problems == []
    report = bring(make_run("encoder:honest-model", wrong=0.0))
    assert [problem.code for problem in report.problems] == ["other-spelling"]
    assert "may be another spelling of 'honest/model'" in report.problems[0].message
    assert "--name 'honest/model'" in report.problems[0].hint


@pytest.mark.parametrize("first", ["run", "print"])
def test_own_and_published_baselines_of_similar_names_coexist(first, board, bring, make_run):
    from gluepot.board.importing import import_published
    from gluepot.board.models import System

    problems = []
    for step in (first, "print" if first == "run" else "run"):
        report = bring(make_run("random")) if step == "run" else import_published()
        problems += report.problems
    assert problems == []
    assert set(System.objects.filter(name__iexact="random").values_list("name", flat=True)) == {"random", "Random"}


def test_explicit_name_makes_it_another_system(bring, make_run):
    bring(make_run("encoder:honest/model"))
    assert bring(make_run("encoder:honest-model", wrong=0.0), name="honest-model").problems == []


def test_names_with_different_numbers_are_different_systems(bring, make_run):
    bring(make_run("encoder:org/gpt-1.3b"))
    assert bring(make_run("encoder:org/gpt-13b", wrong=0.0)).problems == []


def test_declared_alias_merges_duplicate_systems(board):
    from gluepot.board.importing import import_published
    from gluepot.board.importing.systems.owners import current_owner
    from gluepot.board.models import Score, System

    twin = add_system(open_suite("superlim"), "twin")
    System.objects.filter(slug="twin").update(name=ALIAS, owner=current_owner())
    add_score(twin, "swewinograd", "pearson", 0.123)
    import_published()
    assert not System.objects.filter(name=ALIAS).exists()
    moved = Score.objects.get(value=0.123)
    assert moved.entry.system.name == NAME
    assert moved.current
