"""Property-based tests of the Pareto frontier."""

from hypothesis import given
from hypothesis import strategies as st

from gluepot.statistics.pareto import BEATEN, ON, OPEN, dominates, memberships, on_frontier

points = st.lists(st.tuples(*[st.integers(0, 6).map(float)] * 3), min_size=1, max_size=25)


@given(points)
def test_a_point_is_on_the_frontier_unless_dominated(found: list[tuple[float, float, float]]) -> None:
    for point, kept in zip(found, on_frontier(found), strict=True):
        beaten = any(
            (a >= point[0] and b >= point[1] and c >= point[2]) and (a > point[0] or b > point[1] or c > point[2]) for a, b, c in found
        )
        assert kept is not beaten


@given(points)
def test_the_frontier_is_not_empty_and_beats_every_other_point(found: list[tuple[float, float, float]]) -> None:
    kept = [point for point, stays in zip(found, on_frontier(found), strict=True) if stays]
    assert kept
    assert all(point in kept or any(dominates(other, point) for other in kept) for point in found)


@given(points)
def test_the_frontier_is_independent_of_order_and_equal_points_agree(found: list[tuple[float, float, float]]) -> None:
    forward = dict(zip(found, on_frontier(found), strict=True))
    assert [forward[point] for point in reversed(found)] == on_frontier(found[::-1])


@given(points)
def test_exact_values_are_on_the_frontier_or_beaten(found: list[tuple[float, float, float]]) -> None:
    exact = [[(value, value, value) for value in point] for point in found]
    assert memberships(exact) == [ON if stays else BEATEN for stays in on_frontier(found)]


@given(points)
def test_values_without_an_interval_beat_no_point(found: list[tuple[float, float, float]]) -> None:
    unknown = [[(point[0], None, None), *((value, value, value) for value in point[1:])] for point in found]
    assert BEATEN not in memberships(unknown)


def test_overlapping_intervals_leave_membership_open() -> None:
    sizes = [(-1.0, -1.0, -1.0), (-2.0, -2.0, -2.0), (-3.0, -3.0, -3.0)]
    qualities = [(0.7, 0.65, 0.75), (0.6, 0.5, 0.7), (0.5, 0.45, 0.55)]
    assert memberships(list(zip(qualities, sizes, strict=True))) == [ON, OPEN, BEATEN]


def test_more_points_require_a_wider_separation_of_intervals() -> None:
    """Among sixty equal points some intervals do not overlap by chance, which is no evidence."""
    best, second = [(0.6, 0.58, 0.62), (-1.0,) * 3], [(0.559, 0.539, 0.579), (-2.0,) * 3]
    others = [[(0.1, None, None), (-3.0,) * 3]] * 58
    assert memberships([best, second]) == [ON, BEATEN]
    assert memberships([best, second, *others])[1] == OPEN
