"""Concurrent requests for one response compute it once; after a failure the next request computes it."""

from pathlib import Path
from threading import Barrier, Thread
from time import sleep


def test_concurrent_requests_compute_a_response_once(board_folder: Path) -> None:
    from gluepot.board.server.middleware.caching import Turns

    turns, made, starting = Turns(), [], Barrier(5)

    def ask(key: str) -> None:
        starting.wait()
        with turns.take(key):
            if key not in made:
                sleep(0.05)
                made.append(key)

    threads = [Thread(target=ask, args=(key,)) for key in "aaabb"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == ["a", "b"]
    assert turns.locks == {}


def test_failure_releases_the_lock_for_the_next_request(board_folder: Path) -> None:
    from contextlib import suppress

    from gluepot.board.server.middleware.caching import Turns

    turns = Turns()
    with suppress(ValueError), turns.take("a"):
        raise ValueError
    with turns.take("a"):
        assert turns.locks["a"][1] == 1
    assert turns.locks == {}
