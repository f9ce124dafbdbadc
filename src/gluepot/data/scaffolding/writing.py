"""Writing of declarations, sheets and data: completely or not at all, and never over existing files."""

import json
import shutil
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import Item

from gluepot.data.scaffolding.table_files import Row
from gluepot.tasks.sheets import TEMPLATE

TEMPLATE_VERSION = "1.1"


class NewFiles:
    """Files written together into a folder; if one fails, none is left."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[str, str] = {}

    def add_toml(self, path: str, table: Mapping[str, Any], remarks: Mapping[str, str] = {}) -> None:
        self.files[path] = format_toml(table, remarks)

    def add_rows(self, path: str, rows: Iterable[Row]) -> None:
        encode = json.JSONEncoder(ensure_ascii=False).encode
        self.files[path] = "".join([encode(row) + "\n" for row in rows])

    def write(self) -> None:
        """Write all files and create their folders."""
        made: list[Path] = []
        try:
            for name, text in self.files.items():
                path = self.folder / name
                missing = [parent for parent in (path.parent, *path.parent.parents) if not parent.exists()]
                path.parent.mkdir(parents=True, exist_ok=True)
                made += missing[::-1]
                with path.open("x", encoding="utf-8", newline="\n") as file:
                    made.append(path)
                    file.write(text)
        except BaseException:
            for path in reversed(made):
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
            raise


def format_toml(table: Mapping[str, Any], remarks: Mapping[str, str] = {}) -> str:
    """Format a table as TOML, with comments after some of its keys."""
    document = tomlkit.document()
    for key, value in table.items():
        document.add(key, _item(value))
        if key in remarks:
            document[key].comment(remarks[key])
    return tomlkit.dumps(document)


def _item(value: Any) -> Item:
    """Convert a value to a TOML item; `files` and `rows` become inline tables."""
    if isinstance(value, Mapping):
        table = tomlkit.table()
        for key, inner in value.items():
            table.add(key, _inline(inner) if isinstance(inner, Mapping) and key in ("files", "rows") else _item(inner))
        return table
    item: Item = tomlkit.item(value)
    return item


def _inline(value: Mapping[str, Any]) -> Item:
    table = tomlkit.inline_table()
    table.update(value)
    return table


def add_task(path: Path, name: str) -> str:
    """Return a suite's declaration with one more task, otherwise unchanged."""
    document = tomlkit.parse(path.read_text(encoding="utf-8"))
    order: Any = document["order"]
    order.append(name)
    overall: Any = document["overall"]
    overall["terms"].append([name])
    return tomlkit.dumps(document)


def today() -> str:
    return datetime.now(UTC).strftime("%Y%m%d")


def format_sheet(known: Mapping[str, str], derived: Iterable[str]) -> str:
    """Format a documentation sheet with the known fields; obligatory ones that are unknown are left empty."""
    parts = []
    for section, names in TEMPLATE.items():
        parts.append(f"## {section}\n")
        for name in names:
            plain = name.rstrip("*")
            if name not in derived and (name.endswith("*") or plain in known):
                parts.append(f"### {plain}\n{known.get(plain, '')}\n")
    return "\n".join(parts)
