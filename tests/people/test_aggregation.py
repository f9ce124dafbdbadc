"""Aggregation of votes: majority and its ties, Dawid and Skene, MACE."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluepot.answers import INDEX_SET, NUMBER, TAGS
from gluepot.people.aggregation import METHODS, MODELS, aggregate
from gluepot.statistics.agreement import UnitVotes

TIE = [("x", "ann", "no"), ("x", "bo", "yes"), ("y", "ann", "yes"), ("y", "bo", "yes"), ("z", "bo", "yes"), ("z", "ann", "no")]


def crowd(seed: int, units: int = 60, raters: int = 8, labels: str = "abc") -> tuple[list[tuple[str, str, str]], list[str]]:
    """Return votes of raters of different skill on five units in six, and the truth."""
    rng = np.random.default_rng(seed)
    skill = np.linspace(0.35, 0.95, raters)
    truth = rng.integers(0, len(labels), units)
    votes = []
    for unit in range(units):
        for rater in range(raters):
            if rng.random() < 5 / 6:
                said = truth[unit] if rng.random() < skill[rater] else rng.integers(0, len(labels))
                votes.append((f"u{unit}", f"w{rater}", labels[said]))
    return votes, [labels[one] for one in truth]


def test_a_tie_goes_to_the_first_answer_of_the_item() -> None:
    consensus = aggregate(UnitVotes.of(TIE))
    assert list(consensus.answers) == [[("no", 1.0)], [("yes", 1.0)], [("yes", 1.0)]]
    assert consensus.ties == 2


def test_a_tie_is_dropped_or_shared_on_demand() -> None:
    votes = UnitVotes.of(TIE)
    assert aggregate(votes, ties="drop").answers == [[], [("yes", 1.0)], []]
    assert sorted(aggregate(votes, ties="share").answers[0]) == [("no", 0.5), ("yes", 0.5)]


def test_numbers_are_averaged_and_tags_and_sets_decided_elementwise() -> None:
    numbers = UnitVotes.of([("x", "a", 1.0), ("x", "b", 4.0)])
    assert aggregate(numbers, NUMBER).answers == [[(2.5, 1.0)]]
    tags = UnitVotes.of([("x", "a", ("B", "O")), ("x", "b", ("B", "I")), ("x", "c", ("O", "I"))])
    assert aggregate(tags, TAGS).answers == [[(("B", "I"), 1.0)]]
    sets = UnitVotes.of([("x", "a", frozenset({0, 1})), ("x", "b", frozenset({1})), ("x", "c", frozenset())])
    assert aggregate(sets, INDEX_SET).answers == [[(frozenset({1}), 1.0)]]


@pytest.mark.parametrize("method", METHODS)
def test_aggregation_recovers_the_truth_from_unequal_raters(method: str) -> None:
    votes, truth = crowd(3, units=200)
    table = UnitVotes.of(votes)
    names = list(dict.fromkeys(unit for unit, _, _ in votes))
    answers = [answer[0][0] for answer in aggregate(table, by=method).answers]
    right = np.mean([answer == truth[int(name[1:])] for name, answer in zip(names, answers, strict=True)])
    assert right > (0.9 if method != "majority" else 0.85)


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.randoms(use_true_random=False), st.sampled_from(list(MODELS)))
def test_posteriors_are_invariant_under_order_and_names(seed, rng, method) -> None:
    votes, _ = crowd(seed, units=25, raters=5)
    renamed = [(f"item {unit}", f"{9 - int(rater[1:])} {rater}", {"a": "z", "b": "q", "c": "b"}[value]) for unit, rater, value in votes]
    rng.shuffle(renamed)
    one, other = UnitVotes.of(votes), UnitVotes.of(renamed)
    names, others = (list(dict.fromkeys(unit for unit, _, _ in rows)) for rows in (votes, renamed))
    first, second = MODELS[method](one), MODELS[method](other)
    columns = [other.values.index({"a": "z", "b": "q", "c": "b"}[value]) for value in one.values]
    rows = [others.index(f"item {name}") for name in names]
    assert np.allclose(first, second[rows][:, columns], atol=1e-6)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.slow
@pytest.mark.parametrize("seed", [1])
def test_models_give_the_labels_of_crowd_kit(seed: int) -> None:
    """Crowd-Kit's MACE is right only if raters and labels are numbered in order of appearance."""
    peer = pytest.importorskip("crowdkit.aggregation", reason="crowd-kit is the peer: pip install crowd-kit")
    import pandas as pd

    table = UnitVotes.of(crowd(seed, units=80)[0])
    frame = pd.DataFrame({"task": table.unit, "worker": table.rater, "label": table.value})
    for name, model in (("dawid-skene", peer.DawidSkene(100)), ("mace", peer.MACE(n_restarts=1))):
        theirs = model.fit_predict(frame).sort_index().to_numpy()
        assert np.array_equal(MODELS[name](table).argmax(axis=1), theirs), name
