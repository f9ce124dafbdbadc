"""Metadata of a README, YAML between two fences: one key is written, every other character remains unchanged."""

import re
from typing import Any

from gluepot.errors import GluepotError

FENCED = re.compile(r"\A\ufeff?\s*---[ \t]*\r?\n(?P<yaml>.*?)^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)
TRAILING = re.compile(r"(?:\r?\n[ \t]*(?:#[^\n]*)?)*\Z")
"""Empty lines and comments after a value, which belong to the next key."""
WIDE = 2**31
"""Width in characters at which a line is folded: commands stay whole."""


def read_front_matter(content: str) -> dict[str, Any]:
    """Return the metadata of a README.

    >>> read_front_matter("---\\nlicense: mit\\n---\\n# Title\\n"), read_front_matter("# Title\\n")
    ({'license': 'mit'}, {})
    """
    found = FENCED.match(content)
    return _parse(found["yaml"]) if found else {}


def write_key(content: str, key: str, value: Any) -> str:
    """Return the README with one key of its metadata replaced, or added below the others.

    >>> print(write_key("---\\nlicense: mit  # mine\\n---\\n# Title\\n", "tags", ["a"]), end="")
    ---
    license: mit  # mine
    tags:
    - a
    ---
    # Title
    """
    import yaml

    lines = "\r\n" if "\r\n" in content else "\n"
    block = yaml.safe_dump({key: value}, sort_keys=False, allow_unicode=True, width=WIDE).replace("\n", lines)
    found = FENCED.match(content)
    if not found:
        mark, text = ("\ufeff", content[1:]) if content.startswith("\ufeff") else ("", content)
        return f"{mark}---{lines}{block}---{lines}{lines}{text}"
    written = _write_block(found["yaml"], key, block.rstrip("\r\n"), lines)
    if _parse(written) != _parse(found["yaml"]) | {key: value}:
        raise GluepotError(f"{key} cannot be written into the card's metadata. Write one key a line there.")
    return content[: found.start("yaml")] + written + content[found.end("yaml") :]


def _write_block(metadata: str, key: str, block: str, lines: str) -> str:
    import yaml

    root = yaml.compose(metadata, Loader=yaml.SafeLoader)
    for name, value in root.value if root else []:
        if name.value == key:
            start = name.start_mark.index
            end = start + len(TRAILING.sub("", metadata[start : value.end_mark.index]))
            return f"{metadata[:start]}{block}{metadata[end:]}"
    return f"{metadata}{block}{lines}"


def _parse(metadata: str) -> dict[str, Any]:
    import yaml

    try:
        found = yaml.safe_load(metadata)
    except yaml.YAMLError as error:
        raise GluepotError(f"the card's metadata cannot be read: {str(error).splitlines()[0]}. Mend it first.") from error
    if found is not None and not isinstance(found, dict):
        raise GluepotError("the card's metadata cannot be read: it is not a list of keys and values. Fix it first.")
    return found or {}
