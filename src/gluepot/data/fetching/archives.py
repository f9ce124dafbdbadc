"""Official archives: downloaded with resume, and read member by member without trusting their paths."""

import json
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
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import IO, TypeVar, cast
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit
from urllib.request import Request, urlopen

from gluepot import __version__
from gluepot.data.fetching.locking import Downloads
from gluepot.errors import DataMissing, GluepotError
from gluepot.plurals import pluralize

T = TypeVar("T")
CHUNK = 1 << 20
TIMEOUT = 30.0
PAUSES = (1.0, 2.0, 4.0)
"""Seconds before each retry after a server error or a broken connection."""

Watch = Callable[[str, int, int | None], None]
"""Progress callback with a file's name, the bytes so far, and the total if known."""

Member = zipfile.ZipInfo | tarfile.TarInfo
_DAMAGE = (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, BadGzipFile, NotImplementedError)


class TransientError(Exception):
    """A failure that a retry may resolve."""


class Unreachable(DataMissing):
    """A host that does not respond; further requests to it are skipped."""

    def __init__(self, host: str, reason: object, *, advice: str = "Are you offline?") -> None:
        self.host, self.reason, self.advice = host, reason, advice
        why = (str(reason).strip() or type(reason).__name__).splitlines()[0].rstrip(".")
        super().__init__(f"could not reach {host}: {why}. {advice} What is already downloaded is kept; run the same command to go on.")

    def joined(self, other: "Unreachable") -> "Unreachable":
        """Combine two failures into one message, since being offline affects every host."""
        return Unreachable(f"{self.host} and {other.host}", self.reason, advice=self.advice)


def with_retries(attempt: Callable[[], T], host: str) -> T:
    """Call `attempt`, retrying after a pause while it raises TransientError; raise Unreachable after the last failure."""
    for pause in PAUSES:
        try:
            return attempt()
        except TransientError:
            time.sleep(pause)
    try:
        return attempt()
    except TransientError as error:
        raise Unreachable(host, error, advice=f"It was tried {len(PAUSES) + 1} times.") from error


def download(url: str, downloads: Downloads, watch: Watch) -> Path:
    """Download `url` into the downloads folder, resuming a partial file from an earlier attempt."""
    # Many archives are called main.zip, so the name alone is ambiguous.
    name = f"{sha256(url.encode()).hexdigest()[:8]}-{PurePosixPath(unquote(urlsplit(url).path)).name or 'archive'}"
    part = downloads.folder / f"{name}.part"
    try:
        with_retries(lambda: _continue(url, part, downloads, watch), host_of(url))
    except OSError:
        _forget(part)  # on a full disk, the partial file would only keep it full
        raise
    whole = downloads.folder / name
    part.replace(whole)
    _forget(part)
    return whole


def host_of(url: str) -> str:
    """Return the host of a URL.

    >>> host_of("https://github.com/a/b.zip")
    'github.com'
    """
    return urlsplit(url).hostname or url


def _continue(url: str, part: Path, downloads: Downloads, watch: Watch) -> None:
    """Request the rest of `part`, or all of it if it cannot be resumed."""
    headers = {"User-Agent": f"gluepot/{__version__}", "Accept-Encoding": "identity", **_resume_headers(url, part)}
    try:
        response = _request(url, headers)
    except HTTPError as error:
        error.close()
        if error.code != 416:
            raise _refusal(url, error.code) from error
        _forget(part)
        return _continue(url, part, downloads, watch)
    with response:
        _receive(response, url, part, downloads, watch)
    return None


def _request(url: str, headers: dict[str, str]) -> HTTPResponse:
    if not url.startswith(("https://", "http://")):
        raise GluepotError(f"{url}: data is fetched from https:// and http:// addresses only.")
    try:
        return cast(HTTPResponse, urlopen(Request(url, headers=headers), timeout=TIMEOUT))  # noqa: S310  scheme checked above
    except HTTPError:
        raise
    except URLError as error:
        if isinstance(error.reason, ConnectionResetError | TimeoutError):
            raise TransientError(error.reason) from error
        raise Unreachable(host_of(url), error.reason) from error
    except (OSError, HTTPException) as error:
        raise TransientError(error) from error


def _refusal(url: str, code: int) -> Exception:
    if code >= 500 or code in (408, 429):
        return TransientError(f"it answered {code}")
    if code in (404, 410):
        return DataMissing(f"{url} is not there ({code}); the source may have moved.")
    return DataMissing(f"{url} cannot be had: the server answered {code}.")


def _receive(response: HTTPResponse, url: str, part: Path, downloads: Downloads, watch: Watch) -> None:
    """Write the body to `part`, appended if the server resumes, else from the start; write nothing before the first byte arrives."""
    have = part.stat().st_size if response.status == 206 and part.exists() else 0
    length = response.headers.get("Content-Length")
    total = have + int(length) if length else None
    name = f"{host_of(url)}/{PurePosixPath(unquote(urlsplit(url).path)).name}"
    chunks = _chunks(response)
    first = next(chunks, b"")
    if not first and total not in (None, have):
        raise TransientError(f"the connection broke after {have:,} of {pluralize(total, 'byte')}")
    downloads.claim()
    validator = _note_validator(response, url, part)
    try:
        with part.open("ab" if have else "wb") as file:
            for chunk in chain([first], chunks):
                file.write(chunk)
                have += len(chunk)
                watch(name, have, total)
        if total is not None and have < total:
            raise TransientError(f"the connection broke after {have:,} of {pluralize(total, 'byte')}")
    except BaseException:
        if not validator:
            _forget(part)  # nothing could tell whether the rest belongs to it
        raise
    watch(name, have, have)


def _chunks(response: HTTPResponse) -> Iterator[bytes]:
    """Yield the body in chunks; network errors become TransientError, which separates them from disk errors."""
    while True:
        try:
            chunk = response.read1(CHUNK)
        except (OSError, HTTPException) as error:
            raise TransientError(error) from error
        if not chunk:
            return
        yield chunk


def _beside(part: Path) -> Path:
    return part.with_name(f"{part.name}.json")


def _note_validator(response: HTTPResponse, url: str, part: Path) -> str | None:
    """Store and return the validator by which the server recognises this version: a strong ETag, else the date."""
    etag = response.headers.get("ETag", "")
    validator = etag if etag.startswith('"') else response.headers.get("Last-Modified")
    _beside(part).write_text(json.dumps({"url": url, "validator": validator}), encoding="utf-8")
    return validator


def _resume_headers(url: str, part: Path) -> dict[str, str]:
    if not (part.exists() and part.stat().st_size and _beside(part).exists()):
        return {}
    try:
        note = json.loads(_beside(part).read_text(encoding="utf-8"))
    except ValueError:
        return {}
    if note.get("url") != url or not note.get("validator"):
        return {}
    return {"Range": f"bytes={part.stat().st_size}-", "If-Range": note["validator"]}


def _forget(part: Path) -> None:
    part.unlink(missing_ok=True)
    _beside(part).unlink(missing_ok=True)


class Archive:
    """A downloaded zip or tar: its checksum, and its members by path below the single top folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.length: int | None = path.stat().st_size
        with path.open("rb") as file:
            self.identity = file_digest(file, "sha256").hexdigest()
        self._zip: zipfile.ZipFile | None = None
        self._tar: tarfile.TarFile | None = None

    @cached_property
    def members(self) -> dict[str, Member]:
        """Members by path, opened on first access so that the checksum can be verified first."""
        if zipfile.is_zipfile(self.path):
            self._zip = zipfile.ZipFile(self.path)
            return strip_top_folder({info.filename: info for info in self._zip.infolist() if not info.is_dir()})
        self._tar = tarfile.TarFile.open(self.path)
        return strip_top_folder({info.name: info for info in self._tar if not info.isdir()})

    def size(self, name: str) -> int:
        member = self.members[name]
        return member.file_size if isinstance(member, zipfile.ZipInfo) else member.size

    def open(self, name: str) -> IO[bytes]:
        member = self.members[name]
        if not is_plain(member):
            raise GluepotError(f"{name} in the archive is a link or otherwise no plain file; it was not unpacked.")
        if isinstance(member, zipfile.ZipInfo):
            assert self._zip is not None
            return self._zip.open(member)
        assert self._tar is not None
        return cast(IO[bytes], self._tar.extractfile(member))

    def finish(self) -> None:
        """Read a compressed tar to its end, where its checksum is; zip members are verified one by one."""
        file = self._tar.fileobj if self._tar else None
        while file is not None and file.read(CHUNK):
            pass

    def close(self) -> None:
        for file in (self._zip, self._tar):
            if file is not None:
                file.close()


@contextmanager
def open_archive(url: str, downloads: Downloads, watch: Watch) -> Iterator[Archive]:
    """Download the archive at `url`, yield it, and delete it afterwards."""
    path = download(url, downloads, watch)
    archive = None
    try:
        archive = Archive(path)
        yield archive
    except _DAMAGE as error:
        raise GluepotError(f"{url} is not an intact zip or tar archive: {str(error).rstrip('.')}.") from error
    finally:
        if archive:
            archive.close()
        path.unlink(missing_ok=True)


def is_plain(member: Member) -> bool:
    """Return whether a member is a regular file and not encrypted.

    >>> is_plain(zipfile.ZipInfo("a.txt"))
    True
    """
    if isinstance(member, tarfile.TarInfo):
        return member.isfile()
    kind = stat.S_IFMT(member.external_attr >> 16)
    return kind in (0, stat.S_IFREG) and not member.flag_bits & 1


def strip_top_folder(members: dict[str, Member]) -> dict[str, Member]:
    """Return members by path without `./` and without the top folder, if there is exactly one; reject unsafe paths.

    >>> list(strip_top_folder({"faroe-2-main/a/b.tsv": zipfile.ZipInfo(), "__MACOSX/a": zipfile.ZipInfo()}))
    ['a/b.tsv']
    """
    for name in members:
        if name.startswith("/") or ".." in PurePosixPath(name.replace("\\", "/")).parts or name[1:2] == ":":
            raise GluepotError(f"the archive holds {name!r}, a path that leads outside it; nothing was unpacked.")
    paths = {str(PurePosixPath(name)): member for name, member in members.items() if not name.startswith("__MACOSX/")}
    top = single_top(paths)
    return {path.removeprefix(top): member for path, member in paths.items()}


def single_top(paths: Iterable[str]) -> str:
    """Return the one folder that holds everything, with its slash, or an empty string.

    >>> single_top(["a/b", "a/c/d"]), single_top(["a/b", "c"])
    ('a/', '')
    """
    tops = {path.partition("/")[0] if "/" in path else None for path in paths}
    top = tops.pop() if len(tops) == 1 else None
    return f"{top}/" if top else ""
