"""Unpacking of image layers into one file tree: no link of an untrusted image leads out of it while it is written."""

import os
import shutil
import tarfile
import tempfile
from contextlib import suppress
from pathlib import Path, PurePosixPath

from gluepot.errors import GluepotError
from gluepot.programs.containers.archives import ImageArchive

MOST_BYTES, MOST_FILES = 64 * 1024**3, 2_000_000
"""Limits of an unpacked image; those with large models have some ten gigabytes."""
MOST_LINKS = 40
"""Number of links followed, as in the kernel."""
NEEDED = ("proc", "dev", "tmp", "sys")
"""Mount points that cover the image's own files."""
GONE, EMPTIED = ".wh.", ".wh..wh..opq"
"""Names by which a layer deletes files of lower ones."""


def unpack(archive: ImageArchive, cache: Path) -> Path:
    """Unpack an image into a folder named by its digest; done only once, completely or not at all."""
    place = cache / archive.config.number
    if place.is_dir():
        return place
    try:
        cache.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix=".unpacking-", dir=cache))
    except OSError as error:
        raise GluepotError(f"{cache}: cannot unpack images here ({error.strerror}); set GLUEPOT_CACHE to another one.") from error
    try:
        tree = ImageTree(new)
        for number in range(len(archive.config.layers)):
            with archive.open_layer(number) as layer:
                tree.add(layer)
        tree.finish()
        with suppress(OSError):  # another process was faster
            new.rename(place)
    except (tarfile.TarError, OSError, EOFError) as error:
        raise archive.refuse(f"it cannot be unpacked ({error}).") from error
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return place


class ImageTree:
    """Files below a folder, written layer by layer."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.bytes = self.files = 0

    def add(self, layer: tarfile.TarFile) -> None:
        for member in layer:
            self._count(member)
            place = self.inside(member.name, follow_last=False)
            if place == self.root:
                continue
            if place.name.startswith(GONE):
                self._take_away(place)
            else:
                self._write(layer, member, place)

    def finish(self) -> None:
        for name in NEEDED:
            place = self.root / name
            if place.is_symlink() or (place.exists() and not place.is_dir()):
                place.unlink()
            place.mkdir(exist_ok=True)
        self.root.chmod(0o755)

    def inside(self, name: str, follow_last: bool = True) -> Path:
        """Resolve a name with our folder as the root: links are followed as for a program in the image."""
        waiting, place, links = list(reversed(PurePosixPath(name).parts)), self.root, 0
        while waiting:
            part = waiting.pop()
            if part in ("/", "."):
                place = self.root if part == "/" else place
            elif part == "..":
                place = place if place == self.root else place.parent
            elif (place / part).is_symlink() and (waiting or follow_last):
                links += 1
                if links > MOST_LINKS:
                    raise tarfile.TarError(f"{name}: too many links")
                waiting += reversed(PurePosixPath(os.readlink(place / part)).parts)
            else:
                place = place / part
        return place

    def _count(self, member: tarfile.TarInfo) -> None:
        self.bytes, self.files = self.bytes + member.size, self.files + 1
        if self.bytes > MOST_BYTES or self.files > MOST_FILES:
            raise tarfile.TarError(f"more than {MOST_BYTES // 1024**3} GiB or {MOST_FILES:,} files")

    def _take_away(self, place: Path) -> None:
        if place.name == EMPTIED:
            for one in place.parent.iterdir() if place.parent.is_dir() else []:
                _remove(one)
        else:
            _remove(place.with_name(place.name[len(GONE) :]))

    def _write(self, layer: tarfile.TarFile, member: tarfile.TarInfo, place: Path) -> None:
        """Write a member of a layer; devices and pipes are skipped, setuid bits are removed."""
        place.parent.mkdir(parents=True, exist_ok=True)
        if member.isdir():
            if place.is_symlink() or not place.is_dir():
                _remove(place)
                place.mkdir()
            place.chmod(member.mode & 0o777 | 0o700)
            return
        _remove(place)
        if member.issym():
            place.symlink_to(member.linkname)
        elif member.islnk():
            os.link(self.inside(member.linkname, follow_last=False), place, follow_symlinks=False)
        elif member.isfile() and (data := layer.extractfile(member)):
            with place.open("xb") as file:
                shutil.copyfileobj(data, file, 1 << 20)
            place.chmod(member.mode & 0o777 | 0o400)


def _remove(place: Path) -> None:
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)
