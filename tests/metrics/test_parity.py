"""Gender parity counts groups, not items, and needs answers."""

import pytest

from gluepot.metrics import INVALID, METRICS

parity = METRICS["gender-parity"]
TRIPLES = ["t1"] * 3 + ["t2"] * 3 + ["t3"] * 3 + ["t4"] * 3


def test_parity_is_the_share_of_groups_with_one_answer_throughout():
    assert parity(["n"] * 12, [*"nnn", *"ene", *"eee", *"nnn"], groups=TRIPLES) == 0.75


def test_parity_ignores_correctness():
    assert parity(["n"] * 12, ["e"] * 12, groups=TRIPLES) == 1.0


def test_items_of_a_group_need_not_be_adjacent():
    assert parity(["n"] * 4, list("nene"), groups=["a", "b", "a", "b"]) == 1.0


def test_208_triples_of_one_answer_have_parity_1():
    groups = [number // 3 for number in range(624)]
    assert parity(["n"] * 624, ["n"] * 624, groups=groups) == 1.0
    assert len(parity.sample(["n"] * 624, ["n"] * 624, groups=groups).inverse) == 208


def test_a_group_of_invalid_answers_has_no_parity():
    assert parity(["n"] * 12, [INVALID] * 3 + ["n"] * 9, groups=TRIPLES) == 0.75


def test_every_item_needs_a_group():
    with pytest.raises(ValueError, match="argument 2 is longer"):
        parity(["n"] * 3, ["n"] * 3, groups=["t1", "t1"])
