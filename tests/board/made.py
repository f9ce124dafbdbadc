"""Copies of an empty board with its tables: creating them takes seconds of CPU time and always gives the same result."""

import os
import subprocess
import sys
from pathlib import Path

from tests.once import made_once

_SCRIPT = """
import sys
from pathlib import Path
from gluepot.board.server.setup import open_board
open_board(Path(sys.argv[1]))
from gluepot.board.server.database import close_database
close_database()
"""


def make_board(folder: Path) -> None:
    """Create an empty board in this folder unless it has one."""
    if (folder / "database").exists():
        return
    made = made_once("board", lambda draft: subprocess.run([sys.executable, "-c", _SCRIPT, str(draft)], check=True, env=without_board()))
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-a", f"{made}/.", str(folder)], check=True)


def without_board() -> dict[str, str]:
    """Return the environment without any board settings."""
    named = ("GLUEPOT_BOARD", "GLUEPOT_DATABASE_URL", "GLUEPOT_SECRET_KEY", "DJANGO_SETTINGS_MODULE", "DJANGO_ALLOW_ASYNC_UNSAFE")
    return {name: value for name, value in os.environ.items() if name not in named}
