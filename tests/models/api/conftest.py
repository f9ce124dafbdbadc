"""Shared by the tests of servers: weights are parsed once, whoever asks for them."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def parsed_weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all processes of one test run keep what they parsed of GGUF files: twenty seconds each, and always the same."""
    own = tmp_path_factory.getbasetemp()
    place = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "gguf"
    place.mkdir(exist_ok=True)
    return place


@pytest.fixture
def api_cache(own_cache: Path, parsed_weights: Path) -> Path:
    """A cache of the test's own, but for parsed weights."""
    (own_cache / "gguf").symlink_to(parsed_weights)
    return own_cache
