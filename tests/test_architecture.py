"""Structure of the package: layers of subpackages, direction of imports, size of modules."""

import ast
import re
from collections import Counter
from pathlib import Path, PurePosixPath

import gluepot
from gluepot.tasks import KINDS

PACKAGE = Path(gluepot.__file__).parent
FLOORS = [
    {"escaping", "masking", "plurals", "process_pools"},
    {"errors", "files", "records", "strict_json"},
    {"bounds", "notices", "programs"},
    {"plugins"},
    {"registry"},
    {"metrics"},
    {"statistics"},
    {"answers"},
    {"tasks"},
    {"models", "data"},
    {"submissions"},
    {"runs"},
    {"build", "efficiency"},
    {"reporting", "people"},
    {"board", "library"},
    {"cli"},
    {"published"},
]
"""Layers from the bottom up. Statistics depend on metrics, whose samples they resample; nothing imports plug-ins such as `published`."""
HEAVY = {"torch", "ray", "django", "sklearn", "scipy", "pandas", "transformers", "gensim", "huggingface_hub", "pyarrow", "rich", "httpx"}
AT_HOME = {
    "board": {"django"},
    "published/errata": {"django"},
    "published/importing": {"django"},
    "models/encoder": {"torch", "transformers"},
}
"""Subpackages that are imported only when their library is needed."""
MODULES = {path.relative_to(PACKAGE).as_posix(): path.read_text() for path in sorted(PACKAGE.rglob("*.py")) if "suites" not in path.parts}
TREES = {name: ast.parse(text) for name, text in MODULES.items()}


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


def test_imports_point_down_only() -> None:
    found = [f"{path} imports {name}" for path, tree in TREES.items() for name in imports(tree) if not _points_down(path, name)]
    assert not found


def _points_down(path: str, name: str) -> bool:
    room, other = path.split("/")[0].removesuffix(".py"), room_of(name)
    if room in ("__init__", "__main__") or name.split(".")[0] != "gluepot" or other in ("gluepot", room):
        return True
    return floor_of(other) < floor_of(room)


def test_heavy_libraries_are_imported_where_they_are_used() -> None:
    found = {}
    for path, tree in TREES.items():
        top = ast.Module([node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)], [])
        at_home = next((own for place, own in AT_HOME.items() if path.startswith(f"{place}/")), set())
        found[path] = {name.split(".")[0] for name in imports(top)} & (HEAVY - at_home)
    assert not {path: names for path, names in found.items() if names}


def test_modules_have_a_docstring_and_at_most_300_lines() -> None:
    assert not [path for path, tree in TREES.items() if not ast.get_docstring(tree)], "no docstring"
    assert not [path for path, text in MODULES.items() if len(text.splitlines()) > 300], "look for the second idea"


def test_every_subpackage_is_assigned_to_a_layer() -> None:
    rooms = {p.name.removesuffix(".py") for p in PACKAGE.iterdir() if p.suffix == ".py" or (p / "__init__.py").is_file()}
    for room in rooms - {"__init__", "__main__", "suites"}:
        floor_of(room)


PUBLISHED = re.compile(
    r"superlim|russian.?superglue|scandeval|basqueglue|supersim|muserc|rucos|danetqa|\bterra\b|lidirus|swefaq|sweparaphrase|swenli|euroeval|morocco"
    r"|angry.tweets|swediagnostics|\bparus\b|\brwsd\b|\brusse\b|\bpocket\b",
    re.IGNORECASE,
)


def test_only_the_published_plug_in_names_suites_and_tasks() -> None:
    """The library's examples may name the bundled suite, as they are run as doctests."""
    found = {}
    for path, text in MODULES.items():
        sample = {"pocket"} if path.startswith("library/") or path == "__init__.py" else set()
        found[path] = set(PUBLISHED.findall(text)) - sample
    assert not {path: names for path, names in found.items() if names and not path.startswith("published/")}


def test_no_code_branches_on_the_adapter_of_a_model() -> None:
    """Capabilities of an adapter are read from its registration, so that those of plug-ins are treated alike."""
    assert not [path for path, text in MODULES.items() if re.search(r"adapter (?:==|!=) |adapter in \(|isinstance\(adapter", text)]


EQUALS = ("cli", "build/makers")
"""Subpackages of parallel modules: one per command, one per maker."""


def test_subpackages_have_at_most_14_modules() -> None:
    """Many modules side by side hide the subpackages."""
    sizes = Counter(str(PurePosixPath(path).parent) for path in MODULES)
    assert not {room: size for room, size in sizes.items() if size > 14 and room not in EQUALS and not room.endswith("/migrations")}


def test_every_folder_of_modules_is_a_package() -> None:
    """Every folder of modules is a package with an `__init__.py` docstring."""
    assert not {str(PurePosixPath(path).parent) for path in MODULES} - {
        str(PurePosixPath(path).parent) for path in MODULES if path.endswith("__init__.py")
    }


def test_class_names_are_unique() -> None:
    """A record and the board model that stores it may share a name."""
    found: dict[str, list[str]] = {}
    for path, tree in TREES.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and "/migrations/" not in path:
                found.setdefault(node.name, []).append(path)
    twice = {name: places for name, places in found.items() if len(places) > 1}
    assert twice == {"Score": ["board/models.py", "records/results.py"]}


FORMS = {kind.answer.form for kind in (KINDS[name] for name in KINDS)}


def _strings(node: ast.AST) -> set[object]:
    return {one.value for one in ast.walk(node) if isinstance(one, ast.Constant)}


def _names_a_form(node: ast.AST) -> bool:
    """Whether the name of a form is read, compared with a string, or used as the key of a mapping."""
    match node:
        case ast.Attribute(value=ast.Attribute(attr="answer"), attr="form") | ast.Attribute(value=ast.Name(id="answer"), attr="form"):
            return True
        case ast.Compare(left=ast.Name(id="form") | ast.Attribute(attr="form"), comparators=others):
            return any(_strings(other) & FORMS for other in others)
        case ast.Dict(keys=keys):
            return len({key.value for key in keys if isinstance(key, ast.Constant)} & FORMS) > 2
    return False


def test_no_code_branches_on_the_name_of_an_answer_form() -> None:
    """Only the checks of declarations read the name, to look it up among the forms that a metric accepts."""
    found = [
        f"{path}:{node.lineno}"
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.expr) and _names_a_form(node) and not path.startswith("answers/")
        if not (path == "tasks/declaration_checks.py" and isinstance(node, ast.Attribute))
    ]
    assert not found, "ask the form what it is (answers/form.py)"
