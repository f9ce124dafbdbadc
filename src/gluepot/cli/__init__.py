"""The command line: one module a command, imported only when it is called, so that `--help` stays light."""

import errno
import sys
from collections.abc import Sequence
from importlib import import_module

from gluepot import __version__
from gluepot.errors import GluepotError, WrongUse, unknown

_OUTSIDE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.ENOENT}
"""What a disk refuses is the user's to mend, and no traceback helps them."""
COMMANDS = {
    "suites": "list the declared suites and their tasks",
    "show": "a suite, or a task with its documentation sheet",
    "data": "fetch the official files, check them",
    "models": "list the models that evaluate knows",
    "evaluate": "run a model on a suite: predict, score, report",
    "score": "score predictions in a suite's official format",
    "compare": "is one system truly better than another?",
    "probe": "has a language model seen a test set?",
    "report": "one page about some runs",
    "redo": "repeat a run and compare its scores",
    "verify": "prove a suite's scoring on its own data",
    "reproduce": "recompute published tables from published predictions",
    "agreement": "agreement of annotators",
    "board": "the leaderboard: import results, serve it, export it",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0 done, 1 the answer is no, 2 wrong use, 3 data missing."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _run(words)
    except GluepotError as error:
        print(f"gluepot: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except OSError as error:
        if error.errno not in _OUTSIDE:
            raise
        place = f"{error.filename}: " if error.filename else ""
        print(f"gluepot: {place}{error.strerror}. What was finished before is kept; the same command goes on from there.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("gluepot: stopped.", file=sys.stderr)
        return 130


def _run(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        print(usage())
        return 0
    if words[0] in ("-V", "--version"):
        print(f"gluepot {__version__}")
        return 0
    name, *rest = words
    if name not in COMMANDS:
        raise WrongUse(f"{unknown('command', name, COMMANDS)} See `gluepot --help`.")
    from argparse import ArgumentParser

    command = import_module(f"gluepot.cli.{name}")
    parser = ArgumentParser(prog=f"gluepot {name}", description=command.__doc__)
    command.configure(parser)
    options = parser.parse_args(rest)
    code: int = options.run(options) if hasattr(options, "run") else command.run(options)
    return code


def usage() -> str:
    """The page that `gluepot --help` prints."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {summary}" for name, summary in COMMANDS.items()]
    return "\n".join(
        [
            "usage: gluepot COMMAND …",
            "",
            "Declare, check, run and rank language benchmarks.",
            "",
            *lines,
            "",
            "`gluepot COMMAND --help` tells more. Data is read from $GLUEPOT_DATA.",
            "Exit codes: 0 done, 1 the answer is no, 2 wrong use, 3 data missing.",
        ]
    )
