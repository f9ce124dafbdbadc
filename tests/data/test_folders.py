"""Where data and caches lie: where a variable says, else where the system keeps such things."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gluepot.data.folders import data_root
from gluepot.models.caches import cache_root

PLACES = [("GLUEPOT_DATA", "XDG_DATA_HOME", data_root, ".local/share"), ("GLUEPOT_CACHE", "XDG_CACHE_HOME", cache_root, ".cache")]


@pytest.mark.parametrize(("own", "shared", "root", "usual"), PLACES)
def test_our_variable_comes_before_the_systems_and_that_before_the_home(
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
