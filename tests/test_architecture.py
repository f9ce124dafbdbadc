"""The rooms of the package and the direction of their imports."""

import ast
import re
from pathlib import Path

import pytest

import gluepot

PACKAGE = Path(gluepot.__file__).parent
FLOORS = [
    {"masking", "neutral", "plurals"},
    {"errors", "files", "records", "strict_json"},
    {"notices"},
    {"plugins"},
    {"registry"},
    {"metrics"},
    {"statistics"},
    {"answers"},
    {"tasks"},
    {"models", "data"},
    {"submissions"},
    {"runs"},
    {"report"},
    {"board"},
    {"cli"},
    {"published"},
]
"""From the ground up. Statistics stand on metrics, whose samples they draw from; no room knows of plug-ins, such as `published`."""
HEAVY = {"torch", "ray", "django", "sklearn", "scipy", "pandas", "transformers", "gensim", "huggingface_hub", "pyarrow", "rich", "httpx"}
AT_HOME = {
    "board": {"django"},
    "published/errata": {"django"},
    "published/importing": {"django"},
    "models/encoder": {"torch", "transformers"},
}
"""Rooms that are imported only when their library is needed."""
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "suites" not in path.parts)


def room_of(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "gluepot"


def floor_of(room: str) -> int:
    return next(number for number, rooms in enumerate(FLOORS) if room in rooms)


def imports(tree: ast.AST) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_imports_point_down_only(path: Path) -> None:
    relative = path.relative_to(PACKAGE)
    room = relative.parts[0].removesuffix(".py")
    if room in ("__init__", "__main__"):
        return
    for name in imports(ast.parse(path.read_text())):
        other = room_of(name)
        if name.split(".")[0] == "gluepot" and other not in ("gluepot", room):
            assert floor_of(other) < floor_of(room), f"{relative} imports {name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_heavy_libraries_are_imported_where_they_are_used(path: Path) -> None:
    tree = ast.parse(path.read_text())
    top = ast.Module([node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)], [])
    at_home = next((own for place, own in AT_HOME.items() if path.is_relative_to(PACKAGE / place)), set())
    found = {name.split(".")[0] for name in imports(top)} & (HEAVY - at_home)
    assert not found, f"{path.relative_to(PACKAGE)} imports {found} at its top"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_a_module_opens_with_one_sentence_and_stays_readable(path: Path) -> None:
    text = path.read_text()
    assert ast.get_docstring(ast.parse(text)), "no docstring"
    assert len(text.splitlines()) <= 300, "look for the second idea"


def test_every_room_is_on_a_floor() -> None:
    rooms = {p.name.removesuffix(".py") for p in PACKAGE.iterdir() if p.suffix == ".py" or (p / "__init__.py").is_file()}
    for room in rooms - {"__init__", "__main__", "suites"}:
        floor_of(room)


PUBLISHED = re.compile(
    r"superlim|russian.?superglue|scandeval|basqueglue|supersim|muserc|rucos|danetqa|\bterra\b|lidirus|swefaq|sweparaphrase|swenli|euroeval|morocco"
    r"|angry.tweets|swediagnostics|\bparus\b|\brwsd\b|\brusse\b|\bpocket\b",
    re.IGNORECASE,
)


@pytest.mark.parametrize(
    "path", [path for path in MODULES if "published" not in path.parts], ids=lambda p: p.relative_to(PACKAGE).as_posix()
)
def test_no_room_but_the_plug_in_names_a_suite_or_its_task(path: Path) -> None:
    assert not PUBLISHED.findall(path.read_text())


@pytest.mark.parametrize("room", sorted({path.parent for path in MODULES if path.parent != PACKAGE / "cli"}), ids=lambda p: p.name)
def test_no_room_is_crowded(room: Path) -> None:
    """Two dozen modules side by side hide the rooms inside."""
    assert len(list(room.glob("*.py"))) <= 20


def test_one_class_name_is_one_thing() -> None:
    """A record and the board's row of it may share a name: they are the same thing."""
    found: dict[str, list[str]] = {}
    for path in MODULES:
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and "migrations" not in path.parts:
                found.setdefault(node.name, []).append(path.relative_to(PACKAGE).as_posix())
    twice = {name: places for name, places in found.items() if len(places) > 1}
    assert twice == {"Score": ["board/models.py", "records/results.py"]}
