"""Measures of agreement: published examples, invariances and intervals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluepot.statistics.agreement import UnitVotes, measure_agreement, pairwise_mean
from gluepot.statistics.agreement.alpha import alpha_nominal
from gluepot.statistics.agreement.intervals import widen

KRIPPENDORFF = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
MISSING = [".....34121133.3", "1.213343.......", "..21344.21133.4"]
FLEISS = """0 0 0 0 14;0 2 6 4 2;0 0 3 5 6;0 3 9 2 0;2 2 8 1 1;7 7 0 0 0;3 2 6 3 0;2 5 3 2 2;6 5 2 1 0;0 2 2 3 7"""


def of_rows(rows: list[str]) -> UnitVotes:
    """Return votes from one string per rater and one character per unit, with a dot for a missing vote."""
    votes = [(unit, rater, int(c) if c.isdigit() else c) for rater, row in enumerate(rows) for unit, c in enumerate(row) if c != "."]
    return UnitVotes.of(votes)


def of_square(yes: int, first: int, second: int, no: int) -> UnitVotes:
    cells = [("y", "y")] * yes + [("y", "n")] * first + [("n", "y")] * second + [("n", "n")] * no
    return UnitVotes.of([(unit, rater, said) for unit, pair in enumerate(cells) for rater, said in enumerate(pair)])


def of_fleiss() -> UnitVotes:
    rows = [[int(count) for count in line.split()] for line in FLEISS.split(";")]
    given = [(unit, value) for unit, row in enumerate(rows) for value, count in enumerate(row) for _ in range(count)]
    return UnitVotes.of([(unit, number, "abcde"[value]) for number, (unit, value) in enumerate(given)])


def figures(votes: UnitVotes) -> dict[str, float | None]:
    return {one.measure: one.value and round(one.value, 6) for one in measure_agreement(votes, 20)}


@pytest.mark.parametrize(
    ("votes", "values"),
    [
        (
            of_rows(KRIPPENDORFF),
            {
                "alpha-nominal": 0.743421,
                "alpha-ordinal": 0.815388,
                "alpha-interval": 0.849107,
                "alpha-ratio": 0.797403,
                "percent-items": 0.818182,
                "fleiss-mean": 0.761169,
                "ac1": 0.775444,
            },
        ),
        (of_rows(MISSING), {"alpha-nominal": 0.691358, "alpha-ordinal": 0.806721, "alpha-interval": 0.810845, "alpha-ratio": 0.808944}),
        (of_rows(["0100000010", "1110010000"]), {"alpha-nominal": 0.095238, "cohen": 0.090909}),
        (of_rows(["aabbdcccedda", "babbbccceddd"]), {"alpha-nominal": 0.691964, "cohen": 0.684211}),
        (of_fleiss(), {"fleiss-pooled": 0.209931, "fleiss-mean": 0.209931}),
        (of_square(20, 5, 10, 15), {"cohen": 0.4}),
        (of_square(118, 5, 2, 0), {"cohen": -0.023392, "ac1": 0.940776}),
    ],
    ids=["krippendorff-2011", "three-raters", "binary", "letters", "fleiss-1971", "cohen", "gwet"],
)
def test_measures_match_the_published_examples(votes: UnitVotes, values: dict[str, float]) -> None:
    assert {name: figures(votes)[name] for name in values} == values


def test_equal_votes_agree_fully() -> None:
    found = figures(of_rows(["aaaa", "aaaa", "a.a."]))
    assert found["alpha-nominal"] == found["fleiss-mean"] == found["percent-items"] == 1


def test_agreement_is_undefined_without_two_votes_on_an_item() -> None:
    first = measure_agreement(of_rows(["a.", ".b"]), 20)[0]
    assert first.value is None
    assert first.reason == "no item has two votes"


def test_ratio_alpha_of_negative_numbers_is_refused_with_its_reason() -> None:
    votes = UnitVotes.of([(0, "a", -1.0), (0, "b", 2.0), (1, "a", 1.0), (1, "b", 1.0)])
    ratio = next(one for one in measure_agreement(votes, 20) if one.measure == "alpha-ratio")
    assert ratio.value is None
    assert ratio.reason == "a ratio scale has no negative numbers"


def test_pairs_of_raters_without_common_items_are_left_out_and_counted() -> None:
    nan = np.nan
    found = pairwise_mean(np.array([[1, 1, nan], [2, 3, nan], [3, 2, nan], [4, 4, nan], [nan, nan, 5]]))
    assert (found.pairs, found.left_out) == (1, 2)
    assert found.value == pytest.approx(0.8)


def test_ordered_labels_have_ordinal_alpha() -> None:
    rows = [(0, "x", "low"), (0, "y", "mid"), (1, "x", "high"), (1, "y", "high"), (2, "x", "low"), (2, "y", "low")]
    ordered = UnitVotes.of(rows, ["low", "mid", "high"])
    apart = UnitVotes.of([(0, "x", "low"), (0, "y", "high"), *rows[2:]], ["low", "mid", "high"])
    near, far = (next(one.value for one in measure_agreement(v, 20) if one.measure == "alpha-ordinal") for v in (ordered, apart))
    assert near is not None
    assert far is not None
    assert near > far


def test_intervals_contain_the_value_and_raters_widen_them() -> None:
    for one in measure_agreement(of_rows(KRIPPENDORFF), 200):
        assert one.low_raters is not None
        assert one.high_raters is not None
        assert one.low is not None
        assert one.high is not None
        assert one.value is not None
        assert one.low_raters <= one.low <= one.value <= one.high <= one.high_raters


def test_identical_raters_do_not_widen_the_interval() -> None:
    assert widen(0.5, 0.4, 0.6, np.array([0.5, 0.5, 0.5])) == pytest.approx((0.4, 0.6))


VOTES = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 4), st.sampled_from("abc")), min_size=2, max_size=40, unique_by=lambda v: v[:2]
)


@settings(max_examples=60)
@given(VOTES, st.randoms(use_true_random=False))
def test_alpha_is_invariant_under_order_and_names(votes, rng) -> None:
    renamed = [(f"u{unit}", f"r{9 - rater}", {"a": "z", "b": "y", "c": "x"}[value]) for unit, rater, value in votes]
    rng.shuffle(renamed)
    one, other = UnitVotes.of(votes), UnitVotes.of(renamed)
    values = [float(alpha_nominal(v, np.ones((1, v.units)))[0]) for v in (one, other)]
    assert values[0] == pytest.approx(values[1], nan_ok=True)


@settings(max_examples=40)
@given(VOTES)
def test_nominal_alpha_equals_the_krippendorff_package(votes) -> None:
    krippendorff = pytest.importorskip("krippendorff")
    mine = UnitVotes.of(votes)
    table = np.full((mine.raters, mine.units), np.nan)
    table[mine.rater, mine.unit] = mine.value
    if not mine.pairable.any() or len(set(mine.value[mine.pairable[mine.unit]])) < 2:
        return
    alpha = krippendorff.alpha(table, value_domain=list(range(len(mine.values))), level_of_measurement="nominal")
    assert float(alpha_nominal(mine, np.ones((1, mine.units)))[0]) == pytest.approx(alpha)
