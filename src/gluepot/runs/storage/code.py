"""The code that answers or scores follow from, by its fingerprint: what a module and all that it imports do, not what they say.

Comments, docstrings and layout do not count, nor do modules that only speak to people.
"""

import ast
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from gluepot.metrics import METRICS
from gluepot.models import SUITE_BASELINES, ModelName
from gluepot.records import Task
from gluepot.tasks import KINDS
from gluepot.tasks.formats import READERS

SPEAKING = {f"gluepot.{name}" for name in ("errors", "escaping", "masking", "notices", "plugins", "plurals")}
"""No number hangs on these."""


def answering_code(model: ModelName, tasks: Sequence[Task]) -> str:
    """Of what a model's answers to some tasks follow from."""
    info = model.info
    roots = [info.code.partition(":")[0], "gluepot.data.examples", *_readers(tasks), *_forms(tasks)]
    roots += ["gluepot.runs.prediction.shots"] if info.draws_shots else []
    roots += ["gluepot.runs.prediction.model_selection.search", *_metrics(tasks)] if info.tuned else []
    own = dict.fromkeys(f"{task.suite}/{model.adapter}" for task in tasks)
    return code_fingerprint([*roots, *(SUITE_BASELINES[name].partition(":")[0] for name in own if name in SUITE_BASELINES)])


def scoring_code(tasks: Sequence[Task]) -> str:
    """Of what the scores of some tasks follow from."""
    roots = ["gluepot.runs.scores.scoring", "gluepot.data.examples", *_readers(tasks), *_forms(tasks), *_metrics(tasks)]
    return code_fingerprint(roots, alone=["gluepot.runs.evaluation"])


def _readers(tasks: Iterable[Task]) -> list[str]:
    return [READERS[source.reader].__module__ for task in tasks for source in task.sources]


def _forms(tasks: Iterable[Task]) -> list[str]:
    """Where the forms of the answers are, which a plug-in may have brought."""
    return [type(KINDS[task.kind].answer).__module__ for task in tasks]


def _metrics(tasks: Iterable[Task]) -> list[str]:
    return [METRICS[name].code.partition(":")[0] for task in tasks for name in task.metrics]


def code_fingerprint(modules: Iterable[str], alone: Iterable[str] = ()) -> str:
    """Of some modules and what they import of their own packages and of gluepot; and of others `alone`, without what they import."""
    reached = sorted({*reachable(modules), *alone})
    return sha256("\n".join(f"{name} {_facts(name)[0]}" for name in reached).encode()).hexdigest()[:16]


def reachable(modules: Iterable[str]) -> set[str]:
    """The modules, and all that they import, inside functions too."""
    found: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name not in found and name not in SPEAKING and _source(name) is not None:
            found.add(name)
            waiting += [other for other in _facts(name)[1] if other.split(".")[0] in ("gluepot", name.split(".")[0])]
    return found


@cache
def _source(module: str) -> Path | None:
    """Where a module's code is, found without importing anything; None for names that are no modules."""
    top, *parts = module.split(".")
    if module == "__main__":
        return _script()
    spec = find_spec(top)
    if spec and spec.submodule_search_locations is None and not parts and spec.has_location and spec.origin:
        return Path(spec.origin)  # a plug-in of one module
    for place in spec.submodule_search_locations or () if spec else ():
        path = Path(place, *parts)
        for candidate in (path / "__init__.py", path.with_suffix(".py")):
            if candidate.is_file():
                return candidate
    return None


def _script() -> Path | None:
    """The script that runs, which may register things too; None where it is no file, as at a Python prompt."""
    path = Path(getattr(sys.modules["__main__"], "__file__", None) or "")
    return path if path.is_file() else None


@cache
def _facts(module: str) -> tuple[str, frozenset[str]]:
    """What a module does, by its digest, and what it imports: modules, and names that may be modules."""
    path = _source(module)
    assert path is not None
    tree, names = ast.parse(path.read_bytes()), set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            if source := _imported_module(node, module, package=path.name == "__init__.py"):
                names |= {source, *(f"{source}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [one for one in node.body if not _is_text(one)] or [ast.Pass()]
    return sha256(ast.dump(tree).encode()).hexdigest(), frozenset(names)


def _imported_module(node: ast.ImportFrom, module: str, *, package: bool) -> str:
    """What `from … import` names, also with dots for the importing module's own packages."""
    if not node.level:
        return node.module or ""
    parents = module.split(".")[: None if package and node.level == 1 else int(package) - node.level]
    return ".".join([*parents, node.module] if node.module else parents)


def _is_text(node: ast.stmt) -> bool:
    """Whether a statement is a string alone: a docstring, or what is said of the name above it."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
