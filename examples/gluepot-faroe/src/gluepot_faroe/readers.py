"""Reader for word lists in dictionary style: a noun and its gender abbreviation per line."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from gluepot.errors import GluepotError
from gluepot.tasks.formats import READERS, Record

GENDERS = {"k": "masculine", "kv": "feminine", "h": "neuter"}
"""Kallkyn, kvennkyn, hvørkikyn."""


@READERS.register("gender-list")
def read_gender_list(files: Sequence[Path], split: str) -> Iterator[Record]:
    """Yield a record per line with a noun and its gender abbreviation; # starts a comment."""
    for path in files:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            words = line.partition("#")[0].split()
            if not words:
                continue
            if len(words) != 2 or words[1] not in GENDERS:
                raise GluepotError(f"{path}:{number}: not a noun and one of {', '.join(GENDERS)}: {line!r}.")
            yield {"noun": words[0], "gender": GENDERS[words[1]]}
