"""Fixtures shared by the tests of runs."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Model name of a tiny random encoder, as given on the command line."""
    spec = spec_from_file_location("tiny_models", Path(__file__).parents[1] / "models" / "encoder" / "conftest.py")
    assert spec is not None
    assert spec.loader is not None
    maker = module_from_spec(spec)
    spec.loader.exec_module(maker)
    return f"encoder:{maker.make_model(tmp_path_factory.mktemp('tiny') / 'bert', 'bert')}"
