"""Messages never say «1 items»: a count that may be one goes through `pluralize` with its noun."""

import ast
import re
from pathlib import Path

import gluepot

PACKAGE = Path(gluepot.__file__).parent
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if not {"suites", "board"} & set(path.parts))
"""Modules to check; texts of the board are excluded, as their plurals are translated (ngettext)."""
NOUNS = [
    "annotators",
    "answers",
    "attempts",
    "bootstraps",
    "bytes",
    "cells",
    "characters",
    "checksums",
    "claims",
    "columns",
    "comparisons",
    "entries",
    "errors",
    "examples",
    "files",
    "findings",
    "groups",
    "items",
    "jobs",
    "labels",
    "lines",
    "measurements",
    "models",
    "numbers",
    "options",
    "pages",
    "pairs",
    "predictions",
    "probabilities",
    "problems",
    "prompts",
    "records",
    "repeats",
    "resamples",
    "rows",
    "runs",
    "scores",
    "seeds",
    "sentences",
    "shots",
    "spans",
    "systems",
    "tags",
    "tasks",
    "texts",
    "tokens",
    "trials",
    "weights",
    "words",
]
PLURAL = re.compile(rf" (more |other |stored |gold )?({'|'.join(NOUNS)})\b")


def count_of(value: ast.FormattedValue) -> str:
    """Return the source of an interpolated expression, or an empty string if it cannot be one, such as constants in capitals."""
    text = ast.unparse(value.value)
    return "" if re.fullmatch(r"[A-Z_]+|max\(.*\)", text) or "pluralize" in text else text


def loose_plurals(tree: ast.AST) -> list[str]:
    """Return the counts followed by a noun that is always plural."""
    found = []
    for node in (node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)):
        for value, after in zip(node.values, node.values[1:], strict=False):
            if isinstance(value, ast.FormattedValue) and isinstance(after, ast.Constant) and (told := count_of(value)):
                noun = PLURAL.match(str(after.value))
                found += [f"line {node.lineno}: {{{told}}}{noun.group()}"] if noun else []
    return found


def test_counts_are_pluralized() -> None:
    found = {path.relative_to(PACKAGE).as_posix(): loose_plurals(ast.parse(path.read_text())) for path in MODULES}
    assert not {path: lines for path, lines in found.items() if lines}


def test_detects_a_count_before_a_fixed_plural() -> None:
    assert loose_plurals(ast.parse('f"{len(rows):,} of {n:,} items"')) == ["line 1: {n} items"]
    assert not loose_plurals(ast.parse("""f"{pluralize(n, 'item')} tasks, {MOST} items" """))
