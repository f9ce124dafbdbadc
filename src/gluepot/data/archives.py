"""Official archives: downloaded with resume, looked into, read member by member without trusting their paths."""

import json
import os
import stat
import tarfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from gzip import BadGzipFile
from hashlib import file_digest, sha256
from http.client import HTTPException, HTTPResponse
from pathlib import Path, PurePosixPath
from typing import IO, cast
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit
from urllib.request import Request, urlopen

from gluepot import __version__
from gluepot.errors import DataMissing, GluepotError

CHUNK = 1 << 20
TIMEOUT = 30.0
PAUSES = (1.0, 2.0, 4.0)
"""Seconds before each new try after a server error or a broken connection."""

Watch = Callable[[str, int, int | None], None]
"""Is told a file's name, the bytes so far, and the bytes in all where they are known."""

_DAMAGE = (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, BadGzipFile, NotImplementedError)


class Unreachable(DataMissing):
    """A host that does not answer: no other source on it needs to be tried."""

    def __init__(self, host: str, reason: object) -> None:
        why = str(reason).strip().rstrip(".")
        super().__init__(
            f"could not reach {host}: {why}. Are you offline? What is already downloaded is kept; run the same command to go on."
        )


class Broken(Exception):
    """A try that failed in a way that another one may not."""


def patiently[T](attempt: Callable[[], T], host: str) -> T: ...
