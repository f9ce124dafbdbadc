"""Files of a command as a zip to be sent: those that its words name, and others given beside them."""

import io
import shlex
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from gluepot.errors import WrongUse
from gluepot.submissions.opening.bundles import open_bundle
from gluepot.submissions.problems import Problems
from gluepot.submissions.sending import MOST


def pack_program(command: str, more: Sequence[Path] = (), folder: Path | None = None) -> bytes:
    """Return the zip; names inside are relative to this folder, so that the command's words stay valid."""
    here = (folder or Path.cwd()).resolve()
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise WrongUse(f"command:{command}: {error}. Close what you quoted.") from error
    named = [here / word for word in words if not Path(word).is_absolute() and ".." not in Path(word).parts and (here / word).exists()]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, path in sorted(_below(here, [*named, *((here / path) for path in more)]).items()):
            archive.write(path, name)
    data = packed.getvalue() if zipfile.ZipFile(packed).namelist() else b""
    if len(data) > MOST:
        raise WrongUse(f"its files are {len(data) / 2**20:.0f} MB, and a board takes {MOST // 2**20}. Send it as an image instead.")
    return data


def _below(here: Path, places: Iterable[Path]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for place in places:
        if not place.resolve().is_relative_to(here):
            raise WrongUse(f"{place}: not below this folder. Go to the folder with all files of the program, and name them from there.")
        if place.resolve() == here:
            raise WrongUse("this whole folder would be sent. Name the files and folders that the program needs.")
        problems = Problems()
        with open_bundle(place, problems) as bundle:
            inside = [place / entry.name if place.is_dir() else place for entry in bundle.entries]
        if first := next(iter(problems.listed()), None):
            raise WrongUse(f"{place}: cannot be sent: {first}")
        found |= {path.relative_to(here).as_posix(): path for path in inside}
    return found
