"""Fingerprints of the code that answers or scores depend on: what a module and its imports do, not their prose.

Comments, docstrings and layout do not count, nor do modules that only produce messages.
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

MESSAGE_MODULES = {f"gluepot.{name}" for name in ("errors", "escaping", "masking", "notices", "plugins", "plurals")}
"""Modules that no number depends on."""


def answering_code(model: ModelName, tasks: Sequence[Task]) -> str:
    """Return the fingerprint of the code that a model's answers to some tasks depend on."""
    info = model.info
    roots = [info.code.partition(":")[0], "gluepot.data.examples", *_readers(tasks), *_forms(tasks)]
    roots += ["gluepot.runs.prediction.shots"] if info.draws_shots else []
    roots += ["gluepot.runs.prediction.model_selection.search", *_metrics(tasks)] if info.tuned else []
    own = dict.fromkeys(f"{task.suite}/{model.adapter}" for task in tasks)
    return code_fingerprint([*roots, *(SUITE_BASELINES[name].partition(":")[0] for name in own if name in SUITE_BASELINES)])


def scoring_code(tasks: Sequence[Task]) -> str:
    """Return the fingerprint of the code that the scores of some tasks depend on."""
    roots = ["gluepot.runs.scores.scoring", "gluepot.data.examples", *_readers(tasks), *_forms(tasks), *_metrics(tasks)]
    return code_fingerprint(roots, alone=["gluepot.runs.evaluation"])


def _readers(tasks: Iterable[Task]) -> list[str]:
    return [READERS[source.reader].__module__ for task in tasks for source in task.sources]


def _forms(tasks: Iterable[Task]) -> list[str]:
    """Return the modules of the answer forms, which a plugin may provide."""
    return [type(KINDS[task.kind].answer).__module__ for task in tasks]


def _metrics(tasks: Iterable[Task]) -> list[str]:
    return [METRICS[name].code.partition(":")[0] for task in tasks for name in task.metrics]


def code_fingerprint(modules: Iterable[str], alone: Iterable[str] = ()) -> str:
    """Return the fingerprint of modules with their imports from their own packages and gluepot, and of `alone` ones without imports."""
    reached = sorted({*reachable(modules), *alone})
    return sha256("\n".join(f"{name} {_facts(name)[0]}" for name in reached).encode()).hexdigest()[:16]


def reachable(modules: Iterable[str]) -> set[str]:
    """Return the modules and all that they import, inside functions too."""
    found: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name not in found and name not in MESSAGE_MODULES and _source(name) is not None:
            found.add(name)
            waiting += [other for other in _facts(name)[1] if other.split(".")[0] in ("gluepot", name.split(".")[0])]
    return found


@cache
def _source(module: str) -> Path | None:
    """Return the path of a module's code, found without importing it; None for names that are not modules."""
    top, *parts = module.split(".")
    if module == "__main__":
        return _script()
    spec = find_spec(top)
    if spec and spec.submodule_search_locations is None and not parts and spec.has_location and spec.origin:
        return Path(spec.origin)  # a plugin of one module
    for place in spec.submodule_search_locations or () if spec else ():
        path = Path(place, *parts)
        for candidate in (path / "__init__.py", path.with_suffix(".py")):
            if candidate.is_file():
                return candidate
    return None


def _script() -> Path | None:
    """Return the running script, which may register things too; None if it is not a file, as at a Python prompt."""
    path = Path(getattr(sys.modules["__main__"], "__file__", None) or "")
    return path if path.is_file() else None


@cache
def _facts(module: str) -> tuple[str, frozenset[str]]:
    """Return the digest of what a module does, and the names that it imports: modules, and names that may be modules."""
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
    """Return the module that `from … import` names, with dots resolved against the importing module's packages."""
    if not node.level:
        return node.module or ""
    parents = module.split(".")[: None if package and node.level == 1 else int(package) - node.level]
    return ".".join([*parents, node.module] if node.module else parents)


def _is_text(node: ast.stmt) -> bool:
    """Return whether a statement is only a string: a docstring, or the documentation of the name above it."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
