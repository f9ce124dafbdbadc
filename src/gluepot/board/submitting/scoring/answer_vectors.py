"""Answers of a submission as hash vectors, for fast comparison."""

from typing import Any
from zlib import crc32

import msgspec
import numpy as np
from numpy.typing import NDArray

from gluepot.runs.storage.store import plain
from gluepot.submissions.pairing import PairedAnswers

Vector = NDArray[np.uint32]
DIGITS = 4
"""Decimals of numeric answers that are compared: noise beyond them does not change the hash."""


def vector_of(paired: PairedAnswers) -> Vector:
    """Return one hash per item, equal for equal answers."""
    return np.array([number_of(plain(output)) for output in paired.outputs], np.uint32)


def number_of(answer: Any) -> int:
    """Return the hash of an answer given as JSON data."""
    return crc32(msgspec.json.encode(_coarse(answer), order="deterministic"))


def _coarse(value: Any) -> Any:
    return round(value, DIGITS) if isinstance(value, float) else value


def unpacked(stored: bytes | memoryview) -> Vector:
    return np.frombuffer(bytes(stored), np.uint32)


def agreement(first: Vector, second: Vector) -> float:
    """Return the share of items with the same answer; 0 for vectors of different lengths.

    >>> agreement(np.array([1, 2, 3, 4], np.uint32), np.array([1, 2, 3, 5], np.uint32))
    0.75
    """
    return float((first == second).mean()) if len(first) == len(second) and len(first) else 0.0


def agreement_beyond_chance(first: Vector, second: Vector) -> float:
    """Return Cohen's kappa: 0 for independent answers, whatever their distribution; 1 for identical ones.

    >>> agreement_beyond_chance(np.array([1, 1, 2, 2], np.uint32), np.array([1, 2, 1, 2], np.uint32))
    0.0
    """
    answers = np.union1d(first, second)
    shares = [np.array([(vector == answer).mean() for answer in answers]) for vector in (first, second)] if len(answers) < 1000 else None
    chance = float(shares[0] @ shares[1]) if shares else 0.0
    return (agreement(first, second) - chance) / (1 - chance) if chance < 1 else 1.0
