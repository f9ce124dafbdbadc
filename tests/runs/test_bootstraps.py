"""ScandEval's bootstraps, compared index by index, and their intervals."""

from hashlib import sha256

import numpy as np
import pytest

from gluepot.metrics.sample import Means
from gluepot.runs.prediction.model_selection.bootstraps import draw, published_interval, right_interval

GOLDEN = {
    (1024, 256, 2048): (
        "b3931cc6b01b370b01a73304c0aaa18607bfb257c5f1556b6f17d33d88ce29da",
        "bfd7cdb6d887b0e1fffaf99c90c2ea9738f65589defcf53e0e1590341ecfc9c0",
        "7aacbf7a3f84ffa129c2fcd60ff694139e438ccaaf86fabd099250fdbf10d0ac",
    ),
    (1024, 256, 1024): (
        "b3931cc6b01b370b01a73304c0aaa18607bfb257c5f1556b6f17d33d88ce29da",
        "bfd7cdb6d887b0e1fffaf99c90c2ea9738f65589defcf53e0e1590341ecfc9c0",
        "37045e464e14a62a0f65f1282071b6a7dbee545e205d62b43157ca0bc12a2aa1",
    ),
    (128, 64, 808): (
        "69986e07f979c9aa4db1566ca3549e0f87d7e66b4f3adb320827a5e7e46e92af",
        "d0cb97fb00e8dfde9e627a32032093fe664b7634f39b15c4446020136e09f2f7",
        "89f0041f49e13d53541cd110a8fbc78144e4b0b5c6d016b95549f0d7a5dda1c8",
    ),
    (80, 128, 512): (
        "9899ff8c8dc8b836c6005b53165770710110dab78c9a77aeefa07f89099ca6db",
        "8fafff565c918c32758fc1511309f752f0a9e82fc8df5805a43f8e3fff80f958",
        "20ddfb7552531b44ee2fe59a856bbd62376a0a668c75d5559217b3e3e566ef18",
    ),
    (256, 64, 580): (
        "9baffdc4172d70bc0710855299ab2b8be53d3da8fe4509043eccfee8f15208df",
        "f189dcc7166b82d09d8f7c4e17fdce7862ac669b3903adf0ee729d626a412648",
        "a6bcc9346a45b5c3a37a9636ed70d3b434421bef3c31a1c80b0d8a2b207297ac",
    ),
}
"""SHA-256 of the index arrays (int64, little-endian) that ScandEval 14.4.0 drew for its datasets' sizes."""


@pytest.mark.parametrize("sizes", GOLDEN, ids=str)
def test_drawn_rows_match_scandeval(sizes: tuple[int, int, int]) -> None:
    found = tuple(sha256(rows.astype("<i8").tobytes()).hexdigest() for rows in draw(*sizes))
    assert found == GOLDEN[sizes]


def test_development_rows_do_not_depend_on_the_test_set() -> None:
    assert (draw(100, 20, 0)[1] == draw(100, 20, 999)[1]).all()


def test_published_interval_matches_scandeval() -> None:
    low, high = published_interval([0.5, 0.6, 0.7])
    assert low is not None
    assert high is not None
    assert high - low == pytest.approx(2 * 1.96 * 0.1 / 3**0.5)
    assert published_interval([0.5]) == (None, None)


@pytest.mark.slow
def test_right_interval_has_nominal_coverage_and_the_published_one_does_not() -> None:
    """Simulates ten models of accuracy about .7 on the same 200 items, so that hard items are hard for all of them."""
    rng = np.random.default_rng(7)
    ours = theirs = 0
    for repeat in range(200):
        skill = rng.normal(0.85, 0.1, size=(10, 1))
        items = rng.normal(0, 1, size=200)
        right = (skill + 0.5 * rng.normal(size=(10, 200)) > items).astype(float)
        truth = TRUTH
        raw = [own[rng.integers(0, 200, 200)].mean() for own in right]
        low, high = published_interval(raw)
        theirs += bool(low is not None and high is not None and low <= truth <= high)
        low, high = right_interval(("test", str(repeat)), [Means(own.tolist()) for own in right])
        ours += bool(low is not None and high is not None and low <= truth <= high)
    assert 0.9 <= ours / 200 <= 0.99
    assert theirs / 200 < 0.7


def _truth() -> float:
    rng = np.random.default_rng(1)
    skill = rng.normal(0.85, 0.1, size=(400, 1))
    return float((skill + 0.5 * rng.normal(size=(400, 5000)) > rng.normal(0, 1, size=5000)).mean())


TRUTH = _truth()
