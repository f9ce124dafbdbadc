"""Fixtures for server tests: GGUF weights are parsed once per test run."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def parsed_weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Directory where all processes of a test run cache parsed GGUF files: parsing takes twenty seconds each and never differs."""
    own = tmp_path_factory.getbasetemp()
    place = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "gguf"
    place.mkdir(exist_ok=True)
    return place


@pytest.fixture
def api_cache(own_cache: Path, parsed_weights: Path) -> Path:
    """Cache of one test, with the parsed weights shared."""
    (own_cache / "gguf").symlink_to(parsed_weights)
    return own_cache
