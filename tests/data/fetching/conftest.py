"""Fixtures for fetching: a temporary data folder, and local servers that speak the real protocols."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gluepot.data.fetching import archives

from .servers import Hub, Site, serve  # type: ignore[import-not-found,unused-ignore]
from .toys import OLD, TEST, TRAIN  # type: ignore[import-not-found,unused-ignore]


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLUEPOT_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setattr(archives, "PAUSES", (0.0, 0.0, 0.0))
    return tmp_path / "data"


@pytest.fixture
def site() -> Iterator[Site]:
    with serve(Site()) as served:
        yield served


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    from huggingface_hub import close_session

    close_session()
    with serve(Hub()) as served:
        assert isinstance(served, Hub)
        monkeypatch.setenv("HF_ENDPOINT", served.url)
        served.repositories["toys/tweets-mini"] = {
            "README.md": b"# Tweets\n",
            "data/notes.txt": b"",
            "data/test-0.parquet": TEST,
            "data/train-0.parquet": TRAIN,
        }
        served.commits["toys/tweets-mini"] = OLD
        yield served
    close_session()
