"""Where models keep what would take long to make again; all of it may be deleted."""

import os
from pathlib import Path


def cache_root() -> Path:
    """$GLUEPOT_CACHE, else `gluepot` in $XDG_CACHE_HOME, else in ~/.cache."""
    if named := os.environ.get("GLUEPOT_CACHE"):
        return Path(named).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "gluepot"
