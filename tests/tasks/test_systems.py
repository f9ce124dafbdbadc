"""Declarations of systems: unique names, lookup by any name, sources."""

import pytest

from gluepot.tasks.declarations import load_suite
from gluepot.tasks.published_results import load_published
from gluepot.tasks.search_path import suite_folders
from gluepot.tasks.systems import find_system, load_systems, names_of

FAMILIES = {"", "Encoder", "Decoder", "Encoder-decoder", "Static vectors", "Classical", "Trivial", "Human"}


@pytest.mark.parametrize("suite", suite_folders())
def test_system_names_are_unique_and_facts_have_a_source(suite):
    declared = load_systems(suite).system
    names = [name for system in declared for name in (system.name, *system.aliases)]
    assert len(names) == len(set(names))
    assert all(system.source for system in declared)
    assert {system.family for system in declared} <= FAMILIES


@pytest.mark.parametrize("suite", suite_folders())
def test_every_printed_name_is_declared(suite):
    systems = load_systems(suite)
    declared = {name for system in systems.system for name in (system.name, *system.aliases)} | set(systems.not_systems)
    assert {cell.model for cell in load_published(load_suite(suite))} <= declared


@pytest.mark.parametrize(
    ("suite", "name", "known"),
    [
        ("superlim", "KB/bert-b-sw-c", "KB/bert-base-swedish-cased"),
        ("superlim", "xlm-roberta-base", "FacebookAI/xlm-roberta-base"),
        ("russian-superglue", "rugpt3-small", "RuGPT3Small"),
        ("scandeval-da", "predicted_and_gold_labels_gpt-4o", "gpt-4o"),
        ("scandeval-da", "KB/bert-base-swedish-cased", "KB/bert-base-swedish-cased"),
        ("pocket", "rubert", "rubert"),
    ],
)
def test_a_system_is_found_by_any_of_its_names(suite, name, known):
    assert find_system(suite, name).name == known


def test_hub_names_mean_the_same_in_every_suite():
    assert find_system("scandeval-da", "KB/bert-base-swedish-cased").parameters == 124_690_944


@pytest.mark.parametrize(
    ("model", "role", "family"),
    [
        ("majority", "trivial", "Trivial"),
        ("random", "trivial", "Trivial"),
        ("random-weighted", "trivial", "Trivial"),
        ("tfidf-forest", "system", "Classical"),
        ("vectors:wiki.vec", "system", "Static vectors"),
        ("command:./mine", "system", ""),
    ],
)
def test_built_in_models_have_their_role_and_family(model, role, family):
    system = find_system("pocket", model)
    assert (system.role, system.family) == (role, family)


def test_printed_names_are_found_by_the_submitted_name():
    assert "Majority label/Avg" in names_of("superlim", "MaxFreq/Avg")
