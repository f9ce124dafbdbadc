"""Nobody is told of «1 items»: a number that may be one goes through `pluralize` with its noun."""

import ast
import re
from pathlib import Path

import gluepot

PACKAGE = Path(gluepot.__file__).parent
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if not {"suites", "board"} & set(path.parts))
"""The board's texts are translated, and its plurals with them (ngettext)."""
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
    """The text of what is put into a string, but for what never is one: constants, in capitals."""
    text = ast.unparse(value.value)
    return "" if re.fullmatch(r"[A-Z_]+|max\(.*\)", text) or "pluralize" in text else text


def loose_plurals(tree: ast.AST) -> list[str]:
    """Counts that are followed by a noun that is always plural."""
    found = []
    for node in (node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)):
        for value, after in zip(node.values, node.values[1:], strict=False):
            if isinstance(value, ast.FormattedValue) and isinstance(after, ast.Constant) and (told := count_of(value)):
                noun = PLURAL.match(str(after.value))
                found += [f"line {node.lineno}: {{{told}}}{noun.group()}"] if noun else []
    return found


def test_every_count_goes_with_a_noun_that_fits_it() -> None:
    found = {path.relative_to(PACKAGE).as_posix(): loose_plurals(ast.parse(path.read_text())) for path in MODULES}
    assert not {path: lines for path, lines in found.items() if lines}


def test_a_count_before_a_plural_is_noticed() -> None:
    assert loose_plurals(ast.parse('f"{len(rows):,} of {n:,} items"')) == ["line 1: {n} items"]
    assert not loose_plurals(ast.parse("""f"{pluralize(n, 'item')} tasks, {MOST} items" """))
