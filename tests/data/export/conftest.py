"""Fixtures for the tests of exports."""

from pathlib import Path

import pytest
from tests.tasks.own_suite import write_faroe


@pytest.fixture
def faroe(tmp_path: Path) -> Path:
    """Synthetic suite with its data."""
    return write_faroe(tmp_path)


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Configure `datasets` to run offline with a temporary cache."""
    import datasets.config

    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_OFFLINE", True, raising=False)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    datasets.disable_progress_bars()
