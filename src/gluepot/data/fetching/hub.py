"""Dataset repositories on the Hugging Face hub, through its own library, which is imported only when used."""

import inspect
import logging
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import file_digest, sha1
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

from gluepot.data.fetching.archives import CHUNK, TIMEOUT, TransientError, Unreachable, Watch, host_of, with_retries
from gluepot.data.fetching.locking import Downloads
from gluepot.errors import DataMissing, GluepotError

if TYPE_CHECKING:
    from huggingface_hub import HfApi
    from huggingface_hub.hf_api import RepoSibling

T = TypeVar("T")


class Repository:
    """A dataset repository at one commit: its members, and its files, downloaded when opened."""

    length: int | None = None

    def __init__(self, name: str, revision: str | None, downloads: Downloads, watch: Watch) -> None:
        self.name, self.watch = name, watch
        self.api = connect()
        info = self._ask(lambda: self.api.dataset_info(name, revision=revision, files_metadata=True, timeout=TIMEOUT))
        self.identity = str(info.sha)
        self.members: dict[str, RepoSibling] = {file.rfilename: file for file in info.siblings or []}
        self._stem = f"hub-{name.replace('/', '--')}@"
        self._downloads, self.folder = downloads, downloads.folder / f"{self._stem}{self.identity}"

    def size(self, name: str) -> int | None:
        return self.members[name].size

    def open(self, name: str) -> IO[bytes]:
        """Open a file of the repository; complete files from an earlier attempt are not downloaded again."""
        self._downloads.claim()
        options: dict[str, Any] = {"repo_type": "dataset", "revision": self.identity, "local_dir": self.folder, "etag_timeout": TIMEOUT}
        if "tqdm_class" in inspect.signature(self.api.hf_hub_download).parameters:  # older versions only draw their own bars
            options["tqdm_class"] = bar(self.watch, name, self.size(name))
        path = Path(self._ask(lambda: self.api.hf_hub_download(self.name, name, **options)))
        _verify(path, self.members[name])
        self.watch(name, path.stat().st_size, path.stat().st_size)
        return path.open("rb")

    def finish(self) -> None:
        """Do nothing: each file was verified when it was opened."""

    def forget(self) -> None:
        """Remove the downloads, including those of commits that were never finished."""
        for folder in self._downloads.folder.glob(f"{self._stem}*"):
            shutil.rmtree(folder, ignore_errors=True)

    def is_worth_keeping(self) -> bool:
        """Return whether a retry can resume from something: a complete file, or a part with bytes."""
        parts = (path for path in self.folder.rglob("*.incomplete") if path.stat().st_size)
        return any((self.folder / name).is_file() for name in self.members) or any(parts)

    def _ask(self, call: Callable[[], T]) -> T:
        host = host_of(self.api.endpoint)
        return with_retries(lambda: _translate(call, host, f"{self.api.endpoint}/datasets/{self.name}"), host)


@contextmanager
def open_repository(name: str, revision: str | None, downloads: Downloads, watch: Watch) -> Iterator[Repository]:
    """Yield the repository; its downloads remain only if the same command can resume from them."""
    repository = Repository(name, revision, downloads, watch)
    try:
        yield repository
    except (Unreachable, KeyboardInterrupt):
        if not repository.is_worth_keeping():
            repository.forget()
        raise
    except GluepotError:
        repository.forget()
        raise
    repository.forget()


def connect() -> "HfApi":
    """Return the hub's client, with its progress bars and log messages disabled."""
    from huggingface_hub import HfApi
    from huggingface_hub.utils.tqdm import disable_progress_bars

    disable_progress_bars()
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    return HfApi(endpoint=os.environ.get("HF_ENDPOINT") or None, library_name="gluepot")


def is_commit(revision: str | None) -> bool:
    """Return whether a revision is a commit, not a branch or tag.

    >>> is_commit("main"), is_commit("2efd82d6880eadd19ef234025ce04e4cec2da9c5")
    (False, True)
    """
    return bool(revision and re.fullmatch(r"[0-9a-f]{40}", revision))


def _translate(call: Callable[[], T], host: str, page: str) -> T:
    """Translate the library's many errors into the few that matter here."""
    from huggingface_hub.errors import (  # type: ignore[attr-defined]
        EntryNotFoundError,
        GatedRepoError,
        HfHubHTTPError,
        HTTPError,  # of the HTTP library under this version: requests, httpx or httpx2
        LocalEntryNotFoundError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    try:
        return call()
    except OfflineModeIsEnabled as error:
        raise Unreachable(host, "HF_HUB_OFFLINE is set") from error
    except GatedRepoError as error:
        raise DataMissing(f"{page} asks you to accept its terms there and to log in with `hf auth login`.") from error
    except LocalEntryNotFoundError as error:  # raised by the library for a lost connection
        raise Unreachable(host, error.__cause__ or error) from error
    except (RepositoryNotFoundError, RevisionNotFoundError, EntryNotFoundError) as error:
        raise DataMissing(f"{page} is not there, or not for everybody; the source may have moved.") from error
    except HfHubHTTPError as error:
        raise _refusal(page, error.response.status_code) from error
    except (HTTPError, OSError) as error:
        if _is_local(error):
            raise
        raise _trouble(host, error) from error
    except ValueError as error:  # such as the login page of a hotel's network
        raise Unreachable(host, "its answer is not a hub's") from error


def _refusal(page: str, code: int) -> Exception:
    if code >= 500 or code in (408, 429):
        return TransientError(f"it answered {code}")
    return DataMissing(f"{page} cannot be had: the server answered {code}.")


def _is_local(error: Exception) -> bool:
    """Return whether an error comes from the disk, not from the network."""
    return isinstance(error, OSError) and error.errno is not None and not isinstance(error, ConnectionError | TimeoutError)


def _trouble(host: str, error: Exception) -> Exception:
    # By name, because the class differs between generations of the library. A failed connection will not succeed a second later.
    if type(error).__name__.startswith("Connect"):
        return Unreachable(host, error)
    return TransientError(error)


def _verify(path: Path, file: "RepoSibling") -> None:
    """Verify a file against the hub's checksum: sha256 of large files, git's sha1 of the others."""
    if file.lfs:
        with path.open("rb") as stream:
            right = file_digest(stream, "sha256").hexdigest() == file.lfs.sha256
    else:
        right = file.blob_id is None or _git_sha1(path) == file.blob_id
    if not right:
        path.unlink()
        raise GluepotError(f"{file.rfilename} arrived damaged: its checksum is not the one the hub states. Run the same command again.")


def _git_sha1(path: Path) -> str:
    digest = sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def bar(watch: Watch, name: str, size: int | None) -> type:
    """Return a progress bar class for the library that passes the bytes on to `watch`."""
    from huggingface_hub.utils.tqdm import tqdm

    most = 0

    class Bar(tqdm):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **{**options, "disable": True})  # type: ignore[no-untyped-call]
            self.done = options.get("initial") or 0

        def update(self, n: float | None = 1) -> None:
            nonlocal most
            self.done += n or 0
            most = max(most, int(self.done))  # some downloads have two bars: one for the network, one for the disk
            watch(name, most, size)

    return Bar
