"""Regular expressions on untrusted text run in linear time."""

import time
from collections.abc import Callable
from functools import partial

import pytest

from gluepot.build.reading.entities import _PART
from gluepot.people.reading import _DIGIT
from gluepot.published.scandeval.euroeval import _VARIANT
from gluepot.tasks.declaration_file import _HEADER

LENGTH = 200_000
CASES: dict[str, tuple[Callable[[str], object], str]] = {
    "a header of blanks": (_HEADER.fullmatch, "[" + " " * LENGTH + "!"),
    "digits before a letter": (_DIGIT.fullmatch, "1" * LENGTH + "x"),
    "digits to be taken off": (partial(_DIGIT.sub, ""), "1" * LENGTH + "x"),
    "an entity that does not end": (partial(_PART.sub, ""), "a" * LENGTH),
    "blanks before no variant": (partial(_VARIANT.sub, ""), " " * LENGTH),
    "a variant that does not end": (partial(_VARIANT.sub, ""), "(" + "val" * LENGTH),
}


@pytest.mark.parametrize(("take", "text"), CASES.values(), ids=CASES)
def test_long_texts_are_matched_in_linear_time(take: Callable[[str], object], text: str) -> None:
    """A fiftieth of a second, against minutes while two parts of a pattern matched the same characters."""
    before = time.process_time()
    take(text)
    assert time.process_time() - before < 5
