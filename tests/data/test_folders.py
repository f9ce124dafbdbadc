"""Locations of data and caches: an environment variable, otherwise the system's default."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gluepot.data.folders import data_root
from gluepot.models.caches import cache_root

PLACES = [("GLUEPOT_DATA", "XDG_DATA_HOME", data_root, ".local/share"), ("GLUEPOT_CACHE", "XDG_CACHE_HOME", cache_root, ".cache")]


@pytest.mark.parametrize(("own", "shared", "root", "usual"), PLACES)
def test_own_variable_precedes_the_xdg_variable_and_the_home_folder(
    own: str, shared: str, root: Callable[[], Path], usual: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    for name, value in {"HOME": tmp_path / "home", own: tmp_path / "own", shared: tmp_path / "shared"}.items():
        monkeypatch.setenv(name, str(value))
    assert root() == tmp_path / "own"
    monkeypatch.setenv(own, "~/mine")
    assert root() == tmp_path / "home" / "mine"
    monkeypatch.delenv(own)
    assert root() == tmp_path / "shared" / "gluepot"
    monkeypatch.delenv(shared)
    assert root() == tmp_path / "home" / usual / "gluepot"
