"""Patterns that meet strangers' text take time in proportion to it, whatever it is."""

import re
import time

import pytest

from gluepot.build.reading.entities import _PART
from gluepot.people.reading import _DIGIT
from gluepot.published.scandeval.euroeval import _VARIANT
from gluepot.tasks.declaration_file import _HEADER

LENGTH = 200_000
CASES = {
    "a header of blanks": (_HEADER, "[" + " " * LENGTH + "!"),
    "digits before a letter": (_DIGIT, "1" * LENGTH + "x"),
    "an entity that does not end": (_PART, "a" * LENGTH),
    "blanks before no variant": (_VARIANT, " " * LENGTH),
    "a variant that does not end": (_VARIANT, "(" + "val" * LENGTH),
}


@pytest.mark.parametrize(("pattern", "text"), CASES.values(), ids=CASES)
def test_a_long_text_takes_no_longer_than_its_length_asks_for(pattern: re.Pattern[str], text: str) -> None:
    """A fiftieth of a second; minutes, before two parts of a pattern no longer matched the same characters."""
    before = time.process_time()
    pattern.fullmatch(text)
    pattern.sub("", text)
    assert time.process_time() - before < 5
