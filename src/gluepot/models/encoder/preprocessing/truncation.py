"""Truncation of texts that are longer than the model allows: relevant parts are retained with their context."""

from collections.abc import Sequence

import numpy as np

from gluepot.models.encoder.preprocessing.tokenization import Ids


def keep_beginning(length: int, room: int) -> Ids:
    return np.arange(max(0, min(length, room)), dtype=np.int32)


def keep_around(length: int, spans: Sequence[tuple[int, int]], room: int) -> Ids:
    """Return the places nearest to the spans; the edges of the spans have priority.

    >>> keep_around(10, [(4, 5)], 3).tolist(), keep_around(12, [(0, 1), (10, 11)], 4).tolist()
    ([3, 4, 5], [0, 1, 9, 10])
    """
    places = np.arange(length)
    far = np.full(length, length)
    for start, end in spans:
        own = np.maximum(np.maximum(start - places, places - (end - 1)), 0)
        own[start : start + 1] = own[end - 1 : end] = -1
        far = np.minimum(far, own)
    return np.sort(np.argsort(far, kind="stable")[:room]).astype(np.int32)


def keep_window(ids: Ids, wanted: Ids, room: int) -> Ids:
    """Return the stretch that shares most with another text; a piece counts less the more often this text has it.

    >>> keep_window(np.array([7, 7, 7, 7, 5, 6]), np.array([5, 7]), 2).tolist()
    [3, 4]
    """
    if len(ids) <= room or room <= 0:
        return keep_beginning(len(ids), room)
    _, inverse, counts = np.unique(ids, return_inverse=True, return_counts=True)
    worth = np.where(np.isin(ids, wanted), 1 / counts[inverse], 0.0)
    sums = np.concatenate([[0.0], np.cumsum(worth)])
    gains = sums[room:] - sums[:-room]
    start = int(gains.argmax())
    return np.arange(start, start + room, dtype=np.int32)


def share_room(first: int, second: int, room: int) -> tuple[int, int]:
    """Return the retained lengths of two texts: the longer one is cut first.

    >>> share_room(10, 300, 100), share_room(80, 90, 100), share_room(5, 6, 100)
    ((10, 90), (50, 50), (5, 6))
    """
    if first + second <= room:
        return first, second
    half = room // 2
    if first <= half:
        return first, room - first
    if second <= room - half:
        return room - second, second
    return half, room - half
