"""Image archives of `docker save` and `podman save`: start command and layers, verified against the image's digest."""

import gzip
import hashlib
import json
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

from gluepot.errors import GluepotError

MOST_TEXT = 16 * 1024**2
"""Maximum bytes of a description; real ones have some thousand."""
GZIP = b"\x1f\x8b"


class Readable(Protocol):
    """Minimal stream interface for tarfile."""

    def read(self, size: int = -1, /) -> bytes:
        """Return the next bytes."""


@dataclass(frozen=True)
class ImageConfig:
    """Configuration of an image."""

    number: str
    """SHA-256 of the configuration, which includes those of the layers: it identifies the whole image."""
    words: tuple[str, ...]
    variables: dict[str, str]
    folder: str
    layers: tuple[str, ...]
    """Names in the archive, lowest first."""
    digests: tuple[str, ...]
    """Expected digests of the uncompressed layers."""


class ImageArchive:
    """One image in a file; any fault is reported in one sentence."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = self._read()

    def refuse(self, why: str) -> GluepotError:
        return GluepotError(f"{self.path}: {why} Write an image with `docker save IMAGE -o FILE` or `podman save IMAGE -o FILE`.")

    def _read(self) -> ImageConfig:
        try:
            with tarfile.open(self.path) as archive:
                name, layers = self._parts(archive)
                text = self._member(archive, name)
        except (tarfile.TarError, OSError, EOFError) as error:
            raise self.refuse(f"no image archive ({error}).") from error
        try:
            return _config(json.loads(text), hashlib.sha256(text).hexdigest(), layers)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self.refuse("its configuration cannot be read.") from error

    def _parts(self, archive: tarfile.TarFile) -> tuple[str, list[str]]:
        """Return the names of the configuration and of the layers, by Docker's manifest or by that of the Open Container Initiative."""
        names = set(archive.getnames())
        try:
            if "manifest.json" in names:
                images = json.loads(self._member(archive, "manifest.json"))
                if len(images) != 1:
                    raise self.refuse(f"it has {len(images)} images, one is wanted.")
                return images[0]["Config"], images[0]["Layers"]
            if "index.json" in names:
                images = json.loads(self._member(archive, "index.json"))["manifests"]
                if len(images) != 1:
                    raise self.refuse(f"it has {len(images)} images, one is wanted.")
                image = json.loads(self._member(archive, _blob(images[0])))
                return _blob(image["config"]), [_blob(layer) for layer in image["layers"]]
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise self.refuse("its list of images cannot be read.") from error
        raise self.refuse("there is no manifest.json in it: a file system alone (`docker export`) does not say what it starts.")

    def _member(self, archive: tarfile.TarFile, name: str) -> bytes:
        try:
            member = archive.getmember(name)
            file = archive.extractfile(member)
        except KeyError:
            raise self.refuse(f"{name} is not in it.") from None
        if file is None or member.size > MOST_TEXT:
            raise self.refuse(f"{name} is no description.")
        return file.read()

    @contextmanager
    def open_layer(self, number: int) -> Iterator[tarfile.TarFile]:
        """Yield a layer as a stream of files and verify it against the configuration's digest."""
        name, wanted = self.config.layers[number], self.config.digests[number]
        with tarfile.open(self.path) as archive:
            file = archive.extractfile(name)
            if file is None:
                raise self.refuse(f"{name} is not in it.")
            stream = HashingReader(_unpacked(file))
            with tarfile.open(fileobj=stream, mode="r|") as layer:  # type: ignore[call-overload]
                yield layer
            if stream.digest() != wanted:
                raise self.refuse(f"layer {number + 1} is not the one that the image is made of.")


class HashingReader:
    """Reader that computes the SHA-256 of everything, including the unread rest."""

    def __init__(self, file: Readable) -> None:
        self.file, self.hash = file, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        data = self.file.read(size)
        self.hash.update(data)
        return data

    def digest(self) -> str:
        while self.read(1 << 20):
            pass
        return f"sha256:{self.hash.hexdigest()}"


def _unpacked(file: IO[bytes]) -> Readable:
    start = file.read(2)
    file.seek(0)
    return gzip.open(file) if start == GZIP else file


def _blob(part: dict[str, Any]) -> str:
    """Return the path of a blob in the archive.

    >>> _blob({"digest": "sha256:1f"})
    'blobs/sha256/1f'
    """
    return "blobs/" + str(part["digest"]).replace(":", "/")


def _config(record: dict[str, Any], number: str, layers: list[str]) -> ImageConfig:
    config, digests = record.get("config") or {}, record["rootfs"]["diff_ids"]
    words = [*(config.get("Entrypoint") or []), *(config.get("Cmd") or [])]
    variables = dict(pair.split("=", 1) for pair in config.get("Env") or [])
    if len(layers) != len(digests) or not all(isinstance(word, str) for word in [*words, *layers, *digests]):
        raise ValueError
    folder = config.get("WorkingDir") or "/"
    return ImageConfig(number, tuple(words), variables, folder, tuple(layers), tuple(digests))
