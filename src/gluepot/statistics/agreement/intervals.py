"""All agreement measures applicable to some votes, with two intervals: over items, and over items and raters.

Items are resampled. To generalise to other raters, the jackknife variance over raters is added; drawing raters with replacement
would let a rater agree with their own copy. docs/decisions/people.md has the measurements.
"""

from collections.abc import Callable, Sequence
from statistics import NormalDist

import numpy as np
from msgspec import UNSET, Struct, UnsetType

from gluepot.metrics.sample import Floats
from gluepot.statistics.agreement import kappa
from gluepot.statistics.agreement.alpha import Measure, alpha_interval, alpha_nominal, alpha_ordinal, alpha_ratio
from gluepot.statistics.agreement.units import UnitVotes
from gluepot.statistics.bootstrap import LEVEL, RESAMPLES, blocks, count_rows, generator, interval

NOMINAL: dict[str, Measure] = {
    "alpha-nominal": alpha_nominal,
    "fleiss-pooled": kappa.fleiss_pooled,
    "fleiss-mean": kappa.fleiss_mean,
    "cohen": kappa.cohen,
    "ac1": kappa.ac1,
    "percent-items": kappa.percent_items,
    "percent-pairs": kappa.percent_pairs,
}
WITH_SINGLES = ("fleiss-mean", "ac1")
"""Measures whose chance agreement includes units with one vote."""
ORDERED: dict[str, Measure] = {"alpha-ordinal": alpha_ordinal, "alpha-interval": alpha_interval, "alpha-ratio": alpha_ratio}
MOST_VALUES = 1000
"""Distinct numbers up to which every pair is compared."""
MOST_PAIRS = 50
"""Pairs of raters up to which a mean over pairs is resampled."""
WORST = -1.0
GROUPS = 200
"""Raters up to which they are left out one at a time; more are split into this many groups."""


class AgreementValue(Struct, frozen=True):
    """Agreement measure with its interval over items, and the wider one over items and raters."""

    measure: str
    value: float | None
    low: float | None = None
    high: float | None = None
    low_raters: float | None = None
    high_raters: float | None = None
    units: int = 0
    votes: int = 0
    """Votes behind the value, on units with two or more."""
    pairs: int | UnsetType = UNSET
    left_out: int | UnsetType = UNSET
    """Pairs of raters with too few common units."""
    reason: str | UnsetType = UNSET
    """Reason why there is no value."""


def measure_agreement(votes: UnitVotes, resamples: int = RESAMPLES, *, ordered: UnitVotes | None = None) -> list[AgreementValue]:
    """Compute all measures, with ordinal, interval and ratio α if values have a scale. `ordered` has the same votes on a finer scale."""
    scaled = ordered or votes
    found = [_measure(name, one, votes, resamples) for name, one in NOMINAL.items()]
    if scaled.scale is not None:
        found[1:1] = [_measure(name, one, scaled, resamples) for name, one in ORDERED.items()]
    return found


def _measure(name: str, measure: Measure, votes: UnitVotes, resamples: int) -> AgreementValue:
    pairable = votes.pairable
    head = AgreementValue(name, None, units=int(pairable.sum()), votes=int(votes.sizes[pairable].sum()))
    why = _why_none(name, votes, head)
    votes = votes if name in WITH_SINGLES else votes.without_singles()
    if why:
        return _with(head, reason=why)
    value = float(measure(votes, np.ones((1, votes.units)))[0])
    head = _with(head, **_pair_counts(name, votes))
    if np.isnan(value):
        return _with(head, reason="no two raters share enough units" if name == "cohen" else "undefined for these votes")
    if name == "cohen" and isinstance(head.pairs, int) and head.pairs > MOST_PAIRS:
        return _with(head, value=value)
    ends = interval(resample_units(measure, votes, resamples))
    if ends is None:
        return _with(head, value=value)
    low, high = min(ends[0], value), max(ends[1], value)
    wide = widen(value, low, high, leave_raters_out(lambda part: float(measure(part, np.ones((1, part.units)))[0]), votes))
    return _with(head, value=value, low=low, high=high, low_raters=wide and max(wide[0], WORST), high_raters=wide and min(wide[1], 1.0))


def _with(head: AgreementValue, **changes: object) -> AgreementValue:
    from msgspec.structs import replace

    return replace(head, **changes)


def _why_none(name: str, votes: UnitVotes, head: AgreementValue) -> str:
    if not head.units:
        return "no item has two votes"
    if name in ORDERED and len(votes.values) > MOST_VALUES and name != "alpha-interval":
        return f"more than {MOST_VALUES:,} different numbers"
    if name == "alpha-ratio" and votes.scale is not None and votes.scale.min() < 0:
        return "a ratio scale has no negative numbers"
    return ""


def _pair_counts(name: str, votes: UnitVotes) -> dict[str, int]:
    if name != "cohen":
        return {}
    pairs, few = kappa.shared_units(votes)
    return {"pairs": len(pairs), "left_out": few}


def resample_units(measure: Measure, votes: UnitVotes, resamples: int = RESAMPLES) -> Floats:
    """Compute a measure on resamples of the units, stratified by whether they have one vote or more."""
    rng = generator("agreement", votes.units, len(votes.unit))
    parts = [part for part in (np.flatnonzero(votes.pairable), np.flatnonzero(votes.sizes == 1)) if len(part)]
    values = []
    for block in blocks(resamples, votes.units):
        drawn = [part[rng.integers(0, len(part), size=(block, len(part)))] for part in parts]
        values.append(measure(votes, count_rows(np.concatenate(drawn, axis=1), votes.units)))
    return np.concatenate(values)


def leave_raters_out(value: Callable[[UnitVotes], float], votes: UnitVotes) -> Floats:
    """Compute jackknife values without each rater in turn, or without each of GROUPS groups if there are more raters."""
    raters = np.unique(votes.rater)
    groups: Sequence[Floats] = np.array_split(raters, min(len(raters), GROUPS))
    return np.array([value(votes.subset(~np.isin(votes.rater, group))) for group in groups]) if len(raters) > 1 else np.empty(0)


def widen(value: float, low: float, high: float, without: Floats, level: float = LEVEL) -> tuple[float, float] | None:
    """Widen an interval over items by the jackknife variance over raters; None if that is undefined."""
    known = without[~np.isnan(without)]
    if len(known) < 2 or 2 * len(known) < len(without):
        return None
    spread = float(np.sqrt((len(known) - 1) / len(known) * ((known - known.mean()) ** 2).sum()))
    reach = NormalDist().inv_cdf((1 + level) / 2) * spread
    return value - float(np.hypot(value - low, reach)), value + float(np.hypot(high - value, reach))
