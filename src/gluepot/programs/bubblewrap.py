"""Sandbox with bubblewrap: no network, no writable places but private temporary folders, no privileges, and no access to the data."""

import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gluepot.errors import GluepotError
from gluepot.programs.execution import Program
from gluepot.programs.hiding import hidden_paths
from gluepot.programs.limits import SANDBOX, Limits

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
CONFIGURATION = (
    *("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime"),
    *("nsswitch.conf", "passwd", "group", "ssl", "fonts", "mime.types"),
)
"""Entries of /etc that programs read; none is secret."""
KEPT = ("LANG", "LC_ALL", "LC_CTYPE", "TZ", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES")
"""Environment variables passed on to a program; keys and tokens are in others."""
TEMPORARY = "/tmp"  # noqa: S108 of the sandbox itself
WRITABLE = (TEMPORARY, "/dev/shm")  # noqa: S108 likewise
MISSING = "bubblewrap is not installed: apt-get install bubblewrap (`make setup` does it as root)."


@dataclass(frozen=True)
class Sandbox:
    """Visible places and resource limits of a third-party program."""

    limits: Limits = SANDBOX
    visible: tuple[Path, ...] = ()
    """Readable folders and files besides the system's and the program's own."""
    hidden: tuple[Path, ...] = ()
    """Hidden places besides the data with its answers."""
    title: str = "bubblewrap"

    def fence(self, program: Program) -> Program:
        """Return the same program, started inside the sandbox."""
        starter = shutil.which("bwrap")
        if starter is None:
            raise GluepotError(MISSING)
        folder = Path(program.folder or Path.cwd()).resolve()
        own = command_paths(program.words, folder)
        words = [starter, *ISOLATION, *system_mounts(), *temporary_mounts(self.limits.disk or 0)]
        for place in sorted({*own, *(path.resolve() for path in self.visible)}):
            words += self.bind(place)
        words += self.covers({*own, *self.visible})
        words += _variables()
        inside = folder if any(folder.is_relative_to(place) for place in own) else Path("/")
        words += [
            *(word for place in ("/proc", "/dev", "/") for word in ("--remount-ro", place)),
            "--chdir",
            str(inside),
            "--",
            *_found(program.words, folder),
        ]
        fence = {"temporary": [*WRITABLE], "starters": [os.path.basename(starter)]}
        bounds = replace_unset(program.limits, self.limits)
        return replace(program, words=tuple(words), limits=bounds, fence=fence, name=program.title)

    def bind(self, place: Path) -> list[str]:
        """Return the arguments to bind a place; nothing inside a hidden folder is bound but single files named explicitly."""
        if any(place == one or place.is_relative_to(one) for one in self._hidden()):
            return ["--ro-bind", str(place), str(place)] if place.is_file() and not any(place == one for one in self._hidden()) else []
        return ["--ro-bind", str(place), str(place)]

    def covers(self, places: Iterable[Path]) -> list[str]:
        """Return the arguments to mount something empty over hidden places that lie within visible ones."""
        words = []
        for one in self._hidden():
            if any(one.is_relative_to(place.resolve()) and one != place for place in places) or _in_system(one):
                words += ["--tmpfs", str(one), "--remount-ro", str(one)] if one.is_dir() else ["--ro-bind", os.devnull, str(one)]
        return words

    def _hidden(self) -> list[Path]:
        return sorted({*hidden_paths(), *(path.resolve() for path in self.hidden if path.exists())})


ISOLATION = (
    *("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
    *("--disable-userns", "--die-with-parent", "--new-session", "--hostname", "sandbox"),
    *("--uid", "65534", "--gid", "65534", "--cap-drop", "ALL", "--clearenv"),
)


def replace_unset(own: Limits, usual: Limits) -> Limits:
    """Return `own` limits, with unset ones from `usual`."""
    names = Limits.__struct_fields__
    return Limits(**{name: getattr(usual, name) if getattr(own, name) is None else getattr(own, name) for name in names})


def system_mounts() -> list[str]:
    """Return the arguments for the system's programs and libraries, and the configuration they read in /etc."""
    words = []
    for name in SYSTEM:
        path = Path(name)
        if path.is_symlink():
            words += ["--symlink", os.readlink(path), name]
        elif path.is_dir():
            words += ["--ro-bind", name, name]
    for name in CONFIGURATION:
        words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    return [*words, "--proc", "/proc", "--dev", "/dev", *nvidia_devices()]


def nvidia_devices() -> list[str]:
    """Return the arguments that give access to GPUs."""
    return [word for path in sorted(Path("/dev").glob("nvidia*")) if not path.is_dir() for word in ("--dev-bind", str(path), str(path))]


def temporary_mounts(size: int) -> list[str]:
    """Return the arguments for the only writable places, in memory and of limited size."""
    return [word for place in WRITABLE for word in (*(("--size", str(size)) if size else ()), "--tmpfs", place)]


def _variables() -> list[str]:
    given = {name: os.environ[name] for name in KEPT if name in os.environ}
    given |= {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": TEMPORARY, "TMPDIR": TEMPORARY, "PYTHONDONTWRITEBYTECODE": "1"}
    return [word for name, value in given.items() for word in ("--setenv", name, value)]


def _in_system(place: Path) -> bool:
    return any(place.is_relative_to(Path(name)) for name in SYSTEM if Path(name).is_dir() and not Path(name).is_symlink())


def command_paths(words: Sequence[str], folder: Path) -> set[Path]:
    """Return the places named by a command: interpreter with libraries, folders of its scripts, and its file and folder arguments."""
    found: set[Path] = set()
    starter = shutil.which(words[0], path=os.environ.get("PATH")) if os.sep not in words[0] else str(folder / words[0])
    if starter:
        found |= _interpreter(Path(starter))
    for word in words[1:]:
        path = (folder / word.partition("=")[2] if word.startswith("-") and "=" in word else folder / word).absolute()
        if word and path.exists():
            found.add(_own_folder(path.resolve()))
    return {place for place in found if not _in_system(place)}


def _interpreter(starter: Path) -> set[Path]:
    """Return the place of a program; the whole tree around it if that is an interpreter's own (`bin/python` with its `lib`)."""
    found = set()
    for path in dict.fromkeys([starter.absolute(), *_links(starter.absolute())]):
        tree = path.parent.parent
        is_tree = path.parent.name == "bin" and tree != Path("/") and ((tree / "lib").is_dir() or (tree / "pyvenv.cfg").is_file())
        found.add(tree if is_tree else _own_folder(path))
    return found


def _links(path: Path) -> list[Path]:
    """Return the targets of a chain of symbolic links, step by step."""
    found: list[Path] = []
    while path.is_symlink() and len(found) < 20:
        path = (path.parent / os.readlink(path)).absolute()
        path = path.parent.resolve() / path.name
        found.append(path)
    return found


def _own_folder(path: Path) -> Path:
    """Return the folder of a file with what lies beside it; only the file itself if that folder is a home or a top-level one."""
    if path.is_dir():
        return path
    parent = path.parent
    shared = {Path("/"), Path.home().resolve(), Path("/tmp"), Path("/home"), Path("/root"), Path("/var/tmp")}  # noqa: S108
    return path if parent in shared or len(parent.parts) < 3 else parent


def _found(words: Sequence[str], folder: Path) -> list[str]:
    """Return the words, with the program by its full path."""
    starter = shutil.which(words[0]) if os.sep not in words[0] else str((folder / words[0]).absolute())
    return [starter or words[0], *words[1:]]
