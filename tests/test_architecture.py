"""The rooms of the package and the direction of their imports."""

import ast
import re
from collections import Counter
from pathlib import Path, PurePosixPath

import gluepot
from gluepot.tasks import KINDS

PACKAGE = Path(gluepot.__file__).parent
FLOORS = [
    {"escaping", "masking", "plurals"},
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
"""From the ground up. Statistics stand on metrics, whose samples they draw from; no room knows of plug-ins, such as `published`."""
HEAVY = {"torch", "ray", "django", "sklearn", "scipy", "pandas", "transformers", "gensim", "huggingface_hub", "pyarrow", "rich", "httpx"}
AT_HOME = {
    "board": {"django"},
    "published/errata": {"django"},
    "published/importing": {"django"},
    "models/encoder": {"torch", "transformers"},
}
"""Rooms that are imported only when their library is needed."""
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


def test_a_module_opens_with_one_sentence_and_stays_readable() -> None:
    assert not [path for path, tree in TREES.items() if not ast.get_docstring(tree)], "no docstring"
    assert not [path for path, text in MODULES.items() if len(text.splitlines()) > 300], "look for the second idea"


def test_every_room_is_on_a_floor() -> None:
    rooms = {p.name.removesuffix(".py") for p in PACKAGE.iterdir() if p.suffix == ".py" or (p / "__init__.py").is_file()}
    for room in rooms - {"__init__", "__main__", "suites"}:
        floor_of(room)


PUBLISHED = re.compile(
    r"superlim|russian.?superglue|scandeval|basqueglue|supersim|muserc|rucos|danetqa|\bterra\b|lidirus|swefaq|sweparaphrase|swenli|euroeval|morocco"
    r"|angry.tweets|swediagnostics|\bparus\b|\brwsd\b|\brusse\b|\bpocket\b",
    re.IGNORECASE,
)


def test_no_room_but_the_plug_in_names_a_suite_or_its_task() -> None:
    """The library's examples are about the bundled sample: they are run."""
    found = {}
    for path, text in MODULES.items():
        sample = {"pocket"} if path.startswith("library/") or path == "__init__.py" else set()
        found[path] = set(PUBLISHED.findall(text)) - sample
    assert not {path: names for path, names in found.items() if names and not path.startswith("published/")}


def test_nobody_asks_which_adapter_a_model_has() -> None:
    """What an adapter takes and needs stands in its registration, so that a stranger's is treated as ours are."""
    assert not [path for path, text in MODULES.items() if re.search(r"adapter (?:==|!=) |adapter in \(|isinstance\(adapter", text)]


EQUALS = ("cli", "build/makers")
"""Rooms of equals, which everybody expects side by side: one module a command, one a maker."""


def test_no_room_is_crowded() -> None:
    """Many modules side by side hide the rooms inside."""
    sizes = Counter(str(PurePosixPath(path).parent) for path in MODULES)
    assert not {room: size for room, size in sizes.items() if size > 14 and room not in EQUALS and not room.endswith("/migrations")}


def test_a_room_says_what_it_holds() -> None:
    """A folder of modules is a package, whose docstring is what `ls` cannot show."""
    assert not {str(PurePosixPath(path).parent) for path in MODULES} - {
        str(PurePosixPath(path).parent) for path in MODULES if path.endswith("__init__.py")
    }


def test_one_class_name_is_one_thing() -> None:
    """A record and the board's row of it may share a name: they are the same thing."""
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
    """Whether a form's name is read, compared with a word, or the key of a table."""
    match node:
        case ast.Attribute(value=ast.Attribute(attr="answer"), attr="form") | ast.Attribute(value=ast.Name(id="answer"), attr="form"):
            return True
        case ast.Compare(left=ast.Name(id="form") | ast.Attribute(attr="form"), comparators=others):
            return any(_strings(other) & FORMS for other in others)
        case ast.Dict(keys=keys):
            return len({key.value for key in keys if isinstance(key, ast.Constant)} & FORMS) > 2
    return False


def test_a_form_of_answer_is_asked_and_not_told_by_its_name() -> None:
    """Declarations alone read the name: they look for it in what a metric takes."""
    found = [
        f"{path}:{node.lineno}"
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.expr) and _names_a_form(node) and not path.startswith("answers/")
        if not (path == "tasks/declaration_checks.py" and isinstance(node, ast.Attribute))
    ]
    assert not found, "ask the form what it is (answers/form.py)"
