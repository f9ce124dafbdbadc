"""The Pareto rule as laws."""

from hypothesis import given
from hypothesis import strategies as st

from gluepot.statistics.pareto import beats, on_frontier

points = st.lists(st.tuples(*[st.integers(0, 6).map(float)] * 3), min_size=1, max_size=25)


@given(points)
def test_a_point_stays_unless_another_is_as_good_on_all_and_better_on_one(found: list[tuple[float, float, float]]) -> None:
    for point, kept in zip(found, on_frontier(found), strict=True):
        beaten = any(
            (a >= point[0] and b >= point[1] and c >= point[2]) and (a > point[0] or b > point[1] or c > point[2]) for a, b, c in found
        )
        assert kept is not beaten


@given(points)
def test_somebody_always_stays_and_every_other_is_beaten_by_one_who_stays(found: list[tuple[float, float, float]]) -> None:
    kept = [point for point, stays in zip(found, on_frontier(found), strict=True) if stays]
    assert kept
    assert all(point in kept or any(beats(other, point) for other in kept) for point in found)


@given(points)
def test_equals_stay_or_go_together_and_order_does_not_matter(found: list[tuple[float, float, float]]) -> None:
    forward = dict(zip(found, on_frontier(found), strict=True))
    assert [forward[point] for point in reversed(found)] == on_frontier(found[::-1])
