"""Root directory of the models' caches, which may be deleted at any time."""

import os
from pathlib import Path


def cache_root() -> Path:
    """Return $GLUEPOT_CACHE, else the user's cache directory on this system: $XDG_CACHE_HOME or ~/.cache on Linux."""
    if named := os.environ.get("GLUEPOT_CACHE"):
        return Path(named).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("gluepot", appauthor=False)
