"""Exports for the tests of exports."""

from pathlib import Path

import pytest
from tests.tasks.own_suite import write_faroe


@pytest.fixture
def faroe(tmp_path: Path) -> Path:
    """A suite of one's own."""
    return write_faroe(tmp_path)


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`datasets` without a network, and with a cache of its own."""
    import datasets.config

    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_OFFLINE", True, raising=False)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    datasets.disable_progress_bars()
