"""UniMorph reader (lemma, form and features per line), and word pairs from two cells of a paradigm."""

from collections import defaultdict
from pathlib import Path

from gluepot.build.reading.tables import read_lines
from gluepot.build.workbench import Workbench
from gluepot.errors import nearest
from gluepot.plurals import pluralize

Cells = dict[str, dict[str, dict[str, int]]]
"""Features to lemmas to forms, each with its line number."""


def read_unimorph(bench: Workbench, path: Path) -> Cells:
    cells: Cells = defaultdict(lambda: defaultdict(dict))
    for number, line in enumerate(read_lines(bench, path), start=1):
        if not line.strip():
            continue
        parts = line.split("\t")
        if len(parts) < 3:
            bench.fault(path, number, "lemma, form and features, separated by tabs, are expected.")
        else:
            cells[parts[2].strip()][parts[0].strip()].setdefault(parts[1].strip(), number)
    return cells


def paradigm_pairs(bench: Workbench, path: Path, cells: Cells, relation: str) -> list[tuple[str, str, int]]:
    """Return the forms of two cells by lemma for a relation `features 1>features 2`; cells where most lemmas have several are a fault."""
    first, arrow, second = (part.strip() for part in relation.partition(">"))
    for features in (first, second):
        if not arrow or features not in cells:
            near = nearest(features, cells)
            bench.fault(path, None, f"--features {relation}: {f'did you mean {near!r}?' if near else 'two cells, as in N;SG>N;PL.'}")
            return []
        several = sum(len(forms) > 1 for forms in cells[features].values())
        if 2 * several > len(cells[features]):
            share = f"{several:,} of {pluralize(len(cells[features]), 'lemma')}"
            bench.fault(path, None, f"{features}: {share} have several forms, so that no answer is the right one. Choose another cell.")
            return []
    both = [lemma for lemma in cells[second] if lemma in cells[first]]
    bench.count(f"{relation}: lemmas", len(both))
    both = bench.filter("one form each", both, lambda lemma: len(cells[first][lemma]) == len(cells[second][lemma]) == 1)
    both = bench.filter("form is not the lemma", both, lambda lemma: next(iter(cells[second][lemma])) != lemma)
    both = bench.filter(
        "one word", both, lambda lemma: not any(" " in word for word in (lemma, *cells[first][lemma], *cells[second][lemma]))
    )
    return [(next(iter(cells[first][lemma])), *next(iter(cells[second][lemma].items()))) for lemma in both]
