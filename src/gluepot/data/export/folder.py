"""Target folder of an export: written completely or not at all, replacing only files that an export wrote."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from gluepot.data.checksums import SUMS, digest_of, format_sums, parse_sums
from gluepot.errors import WrongUse

HEAD = "Written by `gluepot data export`: --force replaces these files, and only as long as they are as they were written."


def check_folder(folder: Path, *, force: bool) -> None:
    """Raise WrongUse unless the folder is empty, or `force` is set and no exported file in it has changed."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise WrongUse(f"{folder} is not a folder.")
    if not folder.is_dir() or not any(folder.iterdir()):
        return
    if not force:
        raise WrongUse(f"{folder} is not empty. Name another folder, or replace an earlier export there with --force.")
    changed = [name for name, digest in written_files(folder).items() if (folder / name).is_file() and digest_of(folder / name) != digest]
    if changed:
        raise WrongUse(f"{folder}: {_some(changed)} changed since it was exported. Move it away, or name another folder.")


@contextmanager
def staged(folder: Path, *, force: bool) -> Iterator[Path]:
    """Yield a staging folder that is moved into place once complete, and removed on any error."""
    made = [path for path in (folder.parent, *folder.parent.parents) if not path.exists()]
    folder.parent.mkdir(parents=True, exist_ok=True)
    stage = Path(mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        stage.chmod(0o777 & ~_umask())
        yield stage
        _place(stage, folder, force=force)
        made = []
    finally:
        rmtree(stage, ignore_errors=True)
        for path in made:
            with suppress(OSError):
                path.rmdir()


def write_sums(stage: Path, files: Mapping[str, str]) -> None:
    (stage / SUMS).write_text(format_sums(dict(files), HEAD), encoding="utf-8")


def written_files(folder: Path) -> dict[str, str]:
    """Return the files of an earlier export with their checksums, or an empty dict."""
    path = folder / SUMS
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return parse_sums(text, str(path)) if text.startswith(f"# {HEAD}\n") else {}


def _place(stage: Path, folder: Path, *, force: bool) -> None:
    check_folder(folder, force=force)  # the folder may have changed in the meantime
    if not folder.exists() or not any(folder.iterdir()):
        stage.replace(folder)
        return
    new = sorted(path.relative_to(stage) for path in stage.rglob("*") if path.is_file())
    old = [Path(name) for name in (*written_files(folder), SUMS) if (folder / name).is_file()]
    foreign = [str(path) for path in new if os.path.lexists(folder / path) and path not in old]
    if foreign or (SUMS in map(str, old) and not written_files(folder)):
        raise WrongUse(
            f"{folder}: {_some(foreign or [SUMS])} was not written by an export and is in the way. Move it, or name another folder."
        )
    _exchange(stage, folder, old, new)


def _exchange(stage: Path, folder: Path, old: list[Path], new: list[Path]) -> None:
    """Move old files out and new ones in; undo all moves if one fails."""
    aside, moves = (
        stage / ".old",
        [(folder / path, stage / ".old" / path) for path in old] + [(stage / path, folder / path) for path in new],
    )
    aside.mkdir()
    done: list[tuple[Path, Path]] = []
    try:
        for source, target in moves:
            target.parent.mkdir(parents=True, exist_ok=True)
            source.replace(target)
            done.append((source, target))
    except BaseException:
        for source, target in reversed(done):
            target.replace(source)
        raise
    for path in {(folder / one).parent for one in old} - {folder}:
        with suppress(OSError):  # not empty
            path.rmdir()


def _some(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} (and {len(names) - 1} more)"


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
