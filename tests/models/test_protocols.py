"""Training protocols match the papers."""

import pytest

from gluepot.errors import WrongUse
from gluepot.models.protocols import find_protocol, protocol_name
from gluepot.tasks.declarations import find, load_suite


def protocol(name: str, place: str):  # type: ignore[no-untyped-def]
    suite, task = find(place)
    assert task is not None
    return find_protocol(name, suite, task)


def test_superlim_tries_eight_configurations_and_four_for_swenli() -> None:
    found = protocol("suite", "superlim/swewic")
    assert {(s.learning_rate, s.batch_size) for s in found.configurations} == {(r, b) for r in (1e-5, 2e-5, 3e-5, 4e-5) for b in (16, 32)}
    s = found.settings
    assert (s.warmup, s.weight_decay, s.epochs, s.patience, s.select) == (0.06, 0.1, 10, 5, "score")
    assert {s.learning_rate for s in protocol("superlim", "superlim/swenli").configurations} == {1e-5, 4e-5}


def test_basqueglue_takes_the_best_of_ten_epochs() -> None:
    found = protocol("suite", "basqueglue/qnli")
    assert (found.settings.learning_rate, found.settings.epochs, found.settings.select, found.runs) == (3e-5, 10, "score", 5)
    assert not found.configurations


def test_scandeval_has_ten_bootstraps() -> None:
    found = protocol("suite", "scandeval-da/dane")
    s = found.settings
    assert (found.bootstraps, s.learning_rate, s.warmup, s.evaluate_every, s.patience, s.batch_size) == (10, 2e-5, 0.01, 30, 2, 32)
    assert (s.first_seed, s.select, s.max_steps, s.choice) == (4242, "loss", 10_000, "binary")


def test_russian_superglue_follows_jiant() -> None:
    assert protocol("suite", "russian-superglue/TERRa").settings.batch_size == 4
    assert protocol("suite", "russian-superglue/RuCoS").settings.batch_size == 8
    assert protocol("suite", "russian-superglue/TERRa").settings.max_length == 256


def test_protocol_applies_to_another_suite_and_quick_is_one_run() -> None:
    assert len(protocol("superlim", "basqueglue/qnli").configurations) == 8
    quick = protocol("quick", "basqueglue/qnli")
    assert (quick.settings.epochs, quick.configurations, quick.runs) == (3, (), 1)
    with pytest.raises(WrongUse, match="scandeval"):
        protocol_name("scandevil", load_suite("pocket"))
