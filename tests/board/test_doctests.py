"""Doctests of the board; its modules need Django, so they are not collected from src."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import gluepot

PACKAGE = Path(gluepot.__file__).parent
ROOMS = ("board", "published/errata", "published/importing")
FILES = [path for room in ROOMS for path in (PACKAGE / room).rglob("*.py")]
WITH_EXAMPLES = sorted(path.relative_to(PACKAGE.parent).as_posix() for path in FILES if ">>> " in path.read_text())


@pytest.mark.parametrize("place", WITH_EXAMPLES)
def test_examples_pass(board_folder: Path, place: str) -> None:
    module = import_module(place.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    result = doctest.testmod(module)
    assert result.attempted
    assert not result.failed
