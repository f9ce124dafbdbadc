"""Dispatch from command-line arguments to a command, and from errors to a message and an exit code."""

import errno
import sys
from collections.abc import Callable
from importlib import import_module

from gluepot import __version__
from gluepot.cli import COMMANDS, usage
from gluepot.cli.console.terminal import escaping_streams
from gluepot.errors import GluepotError, WrongUse, unknown
from gluepot.masking import mask_secrets, mask_words, masking_notice

_OUTSIDE = {
    errno.EACCES,
    errno.EDQUOT,
    errno.EFBIG,
    errno.EIO,
    errno.EISDIR,
    errno.ELOOP,
    errno.EMFILE,
    errno.ENAMETOOLONG,
    errno.ENODEV,
    errno.ENOENT,
    errno.ENOSPC,
    errno.ENOTDIR,
    errno.ENXIO,
    errno.EPERM,
    errno.EROFS,
}
"""Errors of the file system, which are the user's to fix and not helped by a traceback."""
OUTPUT = "standard output"
_KEPT = {errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENOSPC}
"""Errors that stop a command half-way, after it has already written something."""


def dispatch(words: list[str], begin: Callable[[], None] = lambda: None) -> int:
    """Run one command; `begin` is called when everything it needs is imported and parsed."""
    with escaping_streams():
        return _dispatch(words, begin)


def _dispatch(words: list[str], begin: Callable[[], None]) -> int:
    try:
        return _run(words, begin)
    except GluepotError as error:
        print(f"gluepot: {error}", file=sys.stderr)
        return error.exit_code
    except OSError as error:
        if error.errno not in _OUTSIDE:
            raise
        print(f"gluepot: {mask_secrets(explain(error))}", file=sys.stderr)
        return 1


def explain(error: OSError) -> str:
    """Return the error as a message for the user.

    >>> explain(FileNotFoundError(errno.ENOENT, "No such file or directory", "runs/x"))
    'runs/x: No such file or directory.'
    """
    place = f"{error.filename}: " if error.filename else ""
    halfway = error.errno in _KEPT and error.filename != OUTPUT
    kept = " What was finished before is kept; the same command goes on from there." if halfway else ""
    return f"{place}{error.strerror}.{kept}"


def _run(words: list[str], begin: Callable[[], None]) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        print(usage())
        return 0
    if words[0] in ("-V", "--version"):
        print(f"gluepot {__version__}")
        return 0
    name, *rest = words
    if name not in COMMANDS:
        raise WrongUse(f"{unknown('command', name, COMMANDS)} See `gluepot --help`.")
    from gluepot.cli.console.parsing import Parser

    command = import_module(f"gluepot.cli.{name}")
    parser = Parser(prog=f"gluepot {name}", description=command.__doc__)
    command.configure(parser)
    if mask_words(rest) != rest:
        print(f"gluepot: {masking_notice('the command line')}", file=sys.stderr)
    options = parser.parse_args(rest)
    from gluepot.tasks.search_path import own_search_path

    with own_search_path(getattr(options, "suites", [])):
        begin()
        code: int = options.run(options) if hasattr(options, "run") else command.run(options)
    return code
