"""Values cached until the board's revision changes."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.board.filling import fill


@pytest.fixture
def numbers(board: Path) -> Iterator[int]:
    return iter(range(100))


def test_a_value_is_kept_until_the_revision_changes(numbers: Iterator[int]) -> None:
    from gluepot.board.standings.revisions import RevisionCache, forget_all

    cache = RevisionCache[str, int]()
    make = numbers.__next__
    assert [cache.get("a", 1, make), cache.get("a", 1, make), cache.get("b", 1, make), cache.get("a", 2, make)] == [0, 0, 1, 2]
    assert cache.get("b", 2, make) == 3
    forget_all()
    assert cache.get("b", 2, make) == 4


def test_cache_drops_earlier_revisions_and_stays_within_its_limit(numbers: Iterator[int]) -> None:
    from gluepot.board.standings.revisions import RevisionCache

    cache = RevisionCache[int, int](most=3)
    for key in range(50):
        cache.get(key, 1, numbers.__next__)
        assert len(cache.values) <= 3
    cache.get(50, 2, numbers.__next__)
    assert list(cache.values) == [50]


@pytest.mark.parametrize("page", ["tasks/stance-sv", "performance", "frontier"])
def test_second_variant_of_a_page_needs_at_most_two_queries(board: Path, page: str) -> None:
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    fill(5, "pocket")
    client = Client(HTTP_HOST="localhost")
    address = f"/b/pocket/1/{page}.json"
    assert client.get(address).status_code == 200
    with CaptureQueriesContext(connection) as queries:
        assert client.get(f"/sv{address}").status_code == 200
    assert len(queries) <= 2, [one["sql"][:200] for one in queries]
