"""The Pareto rule as laws."""

from hypothesis import given
from hypothesis import strategies as st

from gluepot.statistics.pareto import BEATEN, ON, OPEN, beats, memberships, on_frontier

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


@given(points)
def test_exact_values_are_on_the_frontier_or_beaten(found: list[tuple[float, float, float]]) -> None:
    exact = [[(value, value, value) for value in point] for point in found]
    assert memberships(exact) == [ON if stays else BEATEN for stays in on_frontier(found)]


@given(points)
def test_nobody_is_beaten_by_values_without_an_interval(found: list[tuple[float, float, float]]) -> None:
    unknown = [[(point[0], None, None), *((value, value, value) for value in point[1:])] for point in found]
    assert BEATEN not in memberships(unknown)


def test_overlapping_intervals_leave_it_open() -> None:
    sizes = [(-1.0, -1.0, -1.0), (-2.0, -2.0, -2.0), (-3.0, -3.0, -3.0)]
    qualities = [(0.7, 0.65, 0.75), (0.6, 0.5, 0.7), (0.5, 0.45, 0.55)]
    assert memberships(list(zip(qualities, sizes, strict=True))) == [ON, OPEN, BEATEN]


def test_among_many_the_intervals_must_lie_farther_apart() -> None:
    """Of sixty equals some intervals do not overlap: that is no evidence."""
    best, second = [(0.6, 0.58, 0.62), (-1.0,) * 3], [(0.559, 0.539, 0.579), (-2.0,) * 3]
    others = [[(0.1, None, None), (-3.0,) * 3]] * 58
    assert memberships([best, second]) == [ON, BEATEN]
    assert memberships([best, second, *others])[1] == OPEN
