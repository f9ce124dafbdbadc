"""Opening of untrusted run files: no link, pipe or device, and nothing larger than a run may have."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import IO

from gluepot.strict_json import InvalidLineError
from gluepot.submissions.opening.entries import UNPACKED
from gluepot.submissions.opening.zips import explain

DOCUMENT = 64 * 1024**2
"""Maximum size of a JSON document of a run in bytes."""
_BLOCK = 1024**2
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


@contextmanager
def open_inside(root: Path, path: Path, most: int = UNPACKED) -> Iterator[IO[bytes]]:
    """Open a regular file below a folder; no part of its path below the folder may be a link.

    Raises FileNotFoundError, or InvalidLineError with the reason for the refusal.
    """
    try:
        handle = _open_file(root, path.relative_to(root).parts)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise _refusal(root, path, error) from error
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        raise InvalidLineError("wrong-type", "not an ordinary file.", "Put a file there.")
    with os.fdopen(handle, "rb", buffering=0) as stream:
        if status.st_size > most:
            raise InvalidLineError("too-large", f"more than {most // 1024**2} MB.", "Evaluate again.")
        yield stream


def read_inside(root: Path, path: Path, most: int = DOCUMENT) -> bytes:
    """Return the content of such a file, of at most `most` bytes even while it is being written."""
    with open_inside(root, path, most) as stream:
        return b"".join(_pieces(stream, most))


def hash_inside(root: Path, path: Path) -> str:
    """Return the fingerprint of such a file; for a refused one, the reason's code, which equals no fingerprint."""
    digest = sha256()
    try:
        with open_inside(root, path) as stream:
            for piece in _pieces(stream, UNPACKED):
                digest.update(piece)
    except InvalidLineError as odd:
        return odd.code
    return digest.hexdigest()[:16]


def _pieces(stream: IO[bytes], most: int) -> Iterator[bytes]:
    while most > 0 and (piece := stream.read(min(_BLOCK, most))):
        most -= len(piece)
        yield piece


def _open_file(root: Path, parts: tuple[str, ...]) -> int:
    """Open the file folder by folder, so that none of them can become a link meanwhile."""
    if ".." in parts:
        raise ValueError("a path that leaves the run")
    handle = os.open(root, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)  # the run itself may be behind a link
    try:
        for part in parts[:-1]:
            inner = os.open(part, _FLAGS | os.O_DIRECTORY, dir_fd=handle)
            os.close(handle)
            handle = inner
        return os.open(parts[-1], _FLAGS, dir_fd=handle)
    finally:
        os.close(handle)


def _refusal(root: Path, path: Path, error: Exception) -> InvalidLineError:
    with suppress(OSError, ValueError):
        between = [place for place in (path, *path.parents) if place != root and place.is_relative_to(root)]
        if any(place.is_symlink() for place in between):
            return InvalidLineError("symlink", "a link is not followed.", "Put the file itself there.")
    return InvalidLineError("unreadable", f"cannot be opened: {explain(error)}.", "Check the file.")
