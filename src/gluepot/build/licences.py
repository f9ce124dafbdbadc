"""Licence of a built task: the one given by the user, or the one stated in files next to the inputs."""

import re
from collections.abc import Sequence
from pathlib import Path

from gluepot.data.export.licenses import judge_license

UNKNOWN = "unknown"
_STATED = re.compile(r"^\W*licen[cs]e\W*[:=]\W*(.+?)\W*$", re.IGNORECASE | re.MULTILINE)
_NAMED = re.compile(r"\b(CC[ -]BY(?:[ -](?:NC|SA|ND))*[ -][1-4]\.[0-9]|CC0(?:[ -]1\.0)?|ODbL(?:[ -]1\.0)?)\b", re.IGNORECASE)
_MIT = re.compile(r"^\s*MIT License", re.IGNORECASE)
_CREATIVE = re.compile(r"creative ?commons (?:attribution[\w -]*?) ([1-4]\.[0-9])", re.IGNORECASE)
BESIDE = ("LICENSE*", "LICENCE*", "README*", "COPYING*", "license*", "readme*")
LONGEST = 100_000


def find_licence(told: str, inputs: Sequence[Path]) -> str:
    """Return the licence given by the user, or the licences named in files next to the inputs as one expression."""
    if told:
        return told
    found = [licence for folder in dict.fromkeys(path.parent for path in inputs) if (licence := _beside(folder))]
    return " AND ".join(dict.fromkeys(found)) or UNKNOWN


def _beside(folder: Path) -> str:
    for pattern in BESIDE:
        for path in sorted(folder.glob(pattern)):
            if path.is_file() and (licence := _named_in(path.read_text(encoding="utf-8", errors="replace")[:LONGEST])):
                return licence
    return ""


def _named_in(text: str) -> str:
    """
    >>> _named_in("Data available since: UD v2.0\\nLicense: CC BY-SA 4.0\\n"), _named_in("MIT License\\n\\nCopyright")
    ('CC-BY-SA-4.0', 'MIT')
    """
    stated = _STATED.findall(text)
    for line in stated:
        if named := _NAMED.search(line):
            return spdx(named[1])
    if _MIT.match(text):
        return "MIT"
    named_anywhere = {spdx(found) for found in _NAMED.findall(text)}
    return named_anywhere.pop() if len(named_anywhere) == 1 else ""


def spdx(name: str) -> str:
    """
    >>> spdx("CC BY-NC-SA 3.0"), spdx("cc0")
    ('CC-BY-NC-SA-3.0', 'CC0-1.0')
    """
    plain = name.strip().replace(" ", "-").upper().replace("ODBL", "ODbL")
    return {"CC0": "CC0-1.0", "ODbL": "ODbL-1.0"}.get(plain, plain)


def license_obligations(licence: str) -> str:
    """Return a sentence on the obligations when redistributing under a licence; empty if only attribution is required."""
    permission = judge_license(licence)
    if licence == UNKNOWN:
        return "No licence is known for the input, and without one nobody may pass this task on: if it has one, say it with --license."
    if permission.refusal:
        reason = permission.refusal.replace("an export is one", "this task is one")
        reason = reason.partition(" Read it; if it does")[0] if "--accept-license" in reason else reason
        return f"The licence of the input ({licence}) does not let this task be passed on: {reason} Keep it to yourself."
    asks = []
    if any(one.noncommercial for one in permission.licenses):
        asks.append("is for non-commercial use only")
    if re.search(r"\bSA\b|-SA-|ODbL", licence, re.IGNORECASE):
        asks.append("must be passed on under the same licence")
    return f"As its source ({licence}), this task {' and '.join(asks)}." if asks else ""
