"""Search path of suites: `--suites`, $GLUEPOT_SUITES, plug-ins, bundled suites; or any folder by its path."""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gluepot.errors import WrongUse, canonical_name, nearest, unknown
from gluepot.plugins import load_plugins

BUNDLED = Path(__file__).parents[1] / "suites"
VARIABLE = "GLUEPOT_SUITES"
DECLARATION = "suite.toml"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""Valid folder names of suites and tasks, which are used in URLs and file names."""
_brought: list[Path] = []
_opened: dict[str, Path] = {}


def add_suites(folder: Path | str) -> None:
    """Add a folder of suites, or of one suite, to the search path, for plug-ins."""
    _brought.append(Path(folder))


@contextmanager
def own_search_path(folders: Iterable[Path | str]) -> Iterator[None]:
    """Search these folders first, also in child processes; on exit, restore the search path and the suites opened by path."""
    before, opened = os.environ.get(VARIABLE), dict(_opened)
    try:
        _search_first(folders)
        yield
    finally:
        _opened.clear()
        _opened.update(opened)
        os.environ.pop(VARIABLE, None)
        if before is not None:
            os.environ[VARIABLE] = before


def _search_first(folders: Iterable[Path | str]) -> None:
    named = [str(Path(folder).expanduser().resolve()) for folder in folders]
    for folder in named:
        if not any(_suites_in(Path(folder))):
            raise WrongUse(f"--suites: {folder} has no suite: neither {DECLARATION} nor a folder with one. `gluepot new` makes a suite.")
    if named:
        os.environ[VARIABLE] = os.pathsep.join(dict.fromkeys([*named, *os.environ.get(VARIABLE, "").split(os.pathsep)])).strip(os.pathsep)


def suite_folders() -> dict[str, Path]:
    """Return all suites on the search path by name, alphabetically; of two with the same name, the first."""
    load_plugins("gluepot")
    found: dict[str, Path] = {}
    for folder in _on_path():
        found.setdefault(folder.name, folder)
    return dict(sorted(found.items()))


def find_folder(name: str) -> Path:
    """Return the folder of the suite with this name; raise `WrongUse` if there is none or more than one."""
    if name in _opened:
        return _opened[name]
    found = _named(name)
    if not found:
        load_plugins("gluepot")
        found = _named(name)
    if not found and (here := folder_at(name)) and not here[1]:
        return here[0]
    if not found:
        places = "A suite of your own is found by its path (./faroe), by --suites DIR, or by $GLUEPOT_SUITES."
        raise WrongUse(f"{unknown('suite', name, suite_folders())} {places}")
    if len(found) > 1:
        raise WrongUse(
            f"two suites are called {found[0].name}: {found[0]} and {found[1]}. Give the path of the one that is meant, or take one off "
            f"the search path (--suites, ${VARIABLE})."
        )
    return found[0]


def search_state() -> tuple[object, ...]:
    """Return the state that a search depends on besides the file system, as a cache key."""
    return os.environ.get(VARIABLE, ""), tuple(_brought), tuple(_opened.items())


def known_folder(name: str) -> Path | None:
    """Return the folder of the suite with this name, or None."""
    return _opened.get(name) or next(iter(_named(name)), None)


def folder_at(place: str) -> tuple[Path, str] | None:
    """Return the suite folder at a path and the rest of the path (a task or ""), or None; the suite can then be found by name, too."""
    path = Path(place).expanduser()
    for folder, rest in ((path, ""), (path.parent, path.name)):
        if rest != ".." and (folder / DECLARATION).is_file():
            found = folder.resolve()
            _opened[found.name] = found
            return found, rest
    return None


def nothing_at(place: str) -> str:
    """Return the error message for a path without a suite, with the nearest suite folder."""
    path = Path(place).expanduser()
    beside = {folder.parent.name: folder.parent for folder in path.parent.glob(f"*/{DECLARATION}")} if path.parent.is_dir() else {}
    likely = nearest(path.name, beside)
    remedy = f"Did you mean {beside[likely]}?" if likely else "`gluepot new` creates one."
    return f"{place}: there is no suite: neither that folder nor the one above has a {DECLARATION}. {remedy}"


def is_path(place: str) -> bool:
    """Whether a place is a path rather than a name.

    >>> [is_path(place) for place in ("./faroe", "~/suites/faroe", "/srv/faroe/sentiment", ".", "faroe/sentiment")]
    [True, True, True, True, False]
    """
    return place in (".", "..") or place.startswith((f".{os.sep}", f"..{os.sep}", os.sep, "~"))


def _named(name: str) -> list[Path]:
    return list(dict.fromkeys(folder for folder in _on_path() if canonical_name(folder.name) == canonical_name(name)))


def _on_path() -> Iterator[Path]:
    named = [Path(folder).expanduser() for folder in os.environ.get(VARIABLE, "").split(os.pathsep) if folder]
    for folder in (*named, *_brought, BUNDLED):
        yield from _suites_in(folder)


def _suites_in(folder: Path) -> Iterator[Path]:
    """Yield the folder if it is a suite, otherwise the suites in it, alphabetically."""
    if (folder / DECLARATION).is_file():
        yield folder.resolve()
    elif folder.is_dir():
        yield from sorted(one.parent.resolve() for one in folder.glob(f"*/{DECLARATION}"))
