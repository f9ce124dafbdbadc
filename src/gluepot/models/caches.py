"""Where models keep what would take long to make again; all of it may be deleted."""

import os
from pathlib import Path


def cache_root() -> Path:
    """$GLUEPOT_CACHE, else the user's place for caches on this system: $XDG_CACHE_HOME or ~/.cache on Linux."""
    if named := os.environ.get("GLUEPOT_CACHE"):
        return Path(named).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("gluepot", appauthor=False)
