"""Commands whose matrix products are slim run them on one core."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import os, sys
from argparse import ArgumentParser
from importlib import import_module
import gluepot.board.server.setup as setup

def reached(*given, **more):
    print(os.environ.get("OPENBLAS_NUM_THREADS"), "numpy" in sys.modules)
    raise SystemExit

setup.open_board = reached
command, parser = import_module("gluepot.cli." + sys.argv[1]), ArgumentParser()
command.configure(parser)
command.run(parser.parse_args(sys.argv[2:]))
"""


@pytest.mark.parametrize("words", [["board_worker"], ["board_serve"], ["board_import", "."]], ids=lambda words: words[0])
@pytest.mark.parametrize(("given", "told"), [(None, "1"), ("3", "3")])
def test_board_commands_use_one_thread_unless_configured_otherwise(words: list[str], given: str | None, told: str) -> None:
    pytest.importorskip("django", reason="needs the board's extra")
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    environment |= {"OPENBLAS_NUM_THREADS": given} if given else {}
    done = subprocess.run([sys.executable, "-c", SCRIPT, *words], env=environment, capture_output=True, text=True)
    assert done.stdout == f"{told} False\n", done.stderr
