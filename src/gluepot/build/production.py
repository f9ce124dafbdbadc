"""Production of a task from a maker's items: splits, balancing, ids, declaration, sheet, data and artefact report."""

import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gluepot.build.artefacts.report import Artefact, find_artefacts
from gluepot.build.licences import find_licence, license_obligations
from gluepot.build.maker import Item, Maker, Product, Row
from gluepot.build.sheets import describe
from gluepot.build.workbench import Workbench, gc_disabled
from gluepot.data.scaffolding.proposals import Proposal
from gluepot.data.scaffolding.splitting import DEFAULT_SHARES, indivisible_groups, split_items, strata
from gluepot.data.scaffolding.suites import suite_table
from gluepot.data.scaffolding.tasks import TaskSettings, require_free_name, task_table, validate_rows, write_task
from gluepot.errors import WrongUse
from gluepot.plurals import pluralize
from gluepot.records import Example
from gluepot.tasks import KINDS, Kind
from gluepot.tasks.search_path import DECLARATION, NAME

DIGITS = 10
"""Hexadecimal digits of the hash in an id."""
ORDER = ("train", "dev", "test")
_encode = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True)
class BuildRequest:
    """User's request to build a task."""

    maker: Maker
    inputs: Sequence[Path]
    place: Path
    """Folder of the task, named after it, inside the folder of its suite."""
    options: Mapping[str, Any]
    seed: int
    shares: Mapping[str, float] | None = None
    language: str = ""
    title: str = ""
    licence: str = ""
    trained_on: str = ""
    """Task that models are trained on, for a test set without training data."""
    dry_run: bool = False


@dataclass(frozen=True)
class BuiltTask:
    """Result of a build."""

    task: str
    files: list[str]
    splits: dict[str, dict[str, Any]]
    filters: list[dict[str, Any]]
    artefacts: list[Artefact]
    seed: int
    licence: str
    notes: list[str] = field(default_factory=list)


@gc_disabled()
def build(request: BuildRequest, say: Callable[[str], None] = lambda _: None) -> BuiltTask:
    """Build a task and write it, unless it is a dry run."""
    missing = [str(path) for path in request.inputs if not path.is_file() and not path.is_dir()]
    if missing or not request.inputs:
        raise WrongUse(
            f"no such file: {', '.join(missing)}." if missing else f"{request.maker.name} needs an input: {request.maker.takes}."
        )
    language, suite = _suite(request)
    bench = Workbench(request.inputs, dict(request.options), request.seed, say, language)
    bench.shares = request.shares or DEFAULT_SHARES
    say(f"reading {', '.join(path.name for path in request.inputs)} …")
    product = request.maker.make(bench)
    bench.check()
    bench.need(product.items, "items are")
    say(f"splitting {pluralize(len(product.items), 'item')} …")
    splits = _rows(request, bench, product)
    say("looking for artefacts …")
    artefacts = find_artefacts(KINDS[product.kind], _examples(KINDS[product.kind], splits))
    licence = find_licence(request.licence, request.inputs)
    if sentence := license_obligations(licence):
        bench.note(sentence)
    files = _write(request, bench, product, splits, licence, language, suite, artefacts)
    return BuiltTask(
        f"{request.place.parent.resolve().name}/{request.place.name}",
        files,
        {split: {"rows": len(rows), "labels": _labels(product, rows)} for split, rows in splits.items()},
        [{"name": name, "left": left} for name, left in bench.filters],
        artefacts,
        request.seed,
        licence,
        bench.notes,
    )


def _suite(request: BuildRequest) -> tuple[str, bool]:
    """Return the language of the task, and whether its suite exists."""
    folder = request.place.parent
    if (folder / DECLARATION).is_file():
        return request.language or require_free_name(folder, request.place.name).language, True
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise WrongUse(f"{folder} is not a suite: it has no {DECLARATION}. Create one in a new folder: gluepot new DIR --language fo")
    for name in (folder.resolve().name, request.place.name):
        if not NAME.fullmatch(name):
            raise WrongUse(f"{name!r}: suites and tasks are called by their folders: letters, digits, '-', '_' and '.' only.")
    return request.language or _language_of(request.inputs), False


def _language_of(inputs: Sequence[Path]) -> str:
    """Return the language from Universal Dependencies file names such as is_modern-ud-train.conllu; "und" if it is not unique."""
    found = {
        path.name.partition("_")[0] for path in inputs if (path.suffix == ".conllu" and path.name[2:3] == "_") or path.name[3:4] == "_"
    }
    named = {code for code in found if code.isalpha() and code.islower()}
    return named.pop() if len(named) == 1 else "und"


def _rows(request: BuildRequest, bench: Workbench, product: Product) -> dict[str, list[Row]]:
    """Return rows by split, with ids, groups and sources."""
    kind = KINDS[product.kind]
    items = product.items if product.ordered else _unrepeated(bench, kind, product.items)
    by_split = _split(request, bench, product, kind, items)
    if product.balanced:
        by_split = {split: _balance(part, bench.seed) for split, part in by_split.items()}
        bench.count("as many of each label", sum(map(len, by_split.values())))
    if empty := [split for split, part in by_split.items() if not part]:
        raise WrongUse(f"nothing is left for {', '.join(empty)}: {pluralize(len(items), 'item')} in all.")
    used: Counter[str] = Counter()
    return {split: [_row(kind, item, request.place.name, used) for item in part] for split, part in by_split.items()}


def _unrepeated(bench: Workbench, kind: Kind, items: Sequence[Item]) -> list[Item]:
    """Return the items without duplicates and without those whose duplicates have different targets."""
    answers: dict[str, set[str]] = {}
    keys = [_canonical_json(kind, item) for item in items]
    for key, item in zip(keys, items, strict=True):
        answers.setdefault(key, set()).add(json.dumps(item.row["target"], sort_keys=True))
    first = {key: number for number, key in reversed(list(enumerate(keys)))}
    left = [item for number, (key, item) in enumerate(zip(keys, items, strict=True)) if first[key] == number and len(answers[key]) == 1]
    if len(left) < len(items):
        bench.count("neither repeated nor contradictory", len(left))
    return left


def _canonical_json(kind: Kind, item: Item) -> str:
    names = (*kind.inputs, *kind.optional)
    return _encode([item.row[name] for name in names if name in item.row])


def _split(request: BuildRequest, bench: Workbench, product: Product, kind: Kind, items: Sequence[Item]) -> dict[str, list[Item]]:
    """Return the maker's splits, or draw splits with groups and near-copies on one side and labels as balanced as possible."""
    told = {item.split for item in items}
    if told != {""}:
        return {split: [item for item in items if item.split == split] for split in ORDER if split in told}
    if product.whole and request.shares is None:
        return {"test": list(items)}
    examples = [_example(kind, item.row, item.group) for item in items]
    pieces, copies = indivisible_groups(kind, examples, [item.ties for item in items])
    found = split_items(pieces, strata(kind, [example.target for example in examples]), bench.shares, request.seed)
    if copies:
        bench.note(f"{pluralize(copies, 'near-copy', 'near-copies')} kept on one side")
    return {split: [items[place] for place in places] for split, places in found.items()}


def _balance(items: Sequence[Item], seed: int) -> list[Item]:
    """Downsample every answer to the frequency of the rarest, preserving the order of items."""
    places: dict[str, list[int]] = {}
    for place, item in enumerate(items):
        places.setdefault(str(item.row["target"]), []).append(place)
    least = min(map(len, places.values()), default=0)
    rng = random.Random(seed)
    kept = {place for name in sorted(places) for place in rng.sample(places[name], least)}
    return [item for place, item in enumerate(items) if place in kept]


def _row(kind: Kind, item: Item, task: str, used: Counter[str]) -> Row:
    fields = (*kind.inputs, *kind.optional, "target")
    named = item.id or f"{task}-{hashlib.sha256(_hashed(kind, item)).hexdigest()[:DIGITS]}"
    used[named] = times = used.get(named, 0) + 1
    own = {name: item.row[name] for name in fields if name in item.row}
    number = f"-{times}" if times > 1 else ""
    return {
        "id": named + number,
        **own,
        **{name: item.row[name] for name in item.row if name not in own},
        "group": item.group,
        "source": item.source,
    }


def _hashed(kind: Kind, item: Item) -> bytes:
    return (_canonical_json(kind, item) + _encode(item.row["target"])).encode()


def _example(kind: Kind, row: Row, group: str | None) -> Example:
    inputs = {name: row[name] for name in (*kind.inputs, *kind.optional) if name in row}
    return Example(str(row.get("id", "")), inputs, _hashable(row["target"]), group)


def _hashable(target: Any) -> Any:
    return tuple(target) if isinstance(target, list) else target


def _examples(kind: Kind, splits: Mapping[str, Iterable[Row]]) -> dict[str, list[Example]]:
    return {split: [_example(kind, row, row["group"]) for row in rows] for split, rows in splits.items()}


def _labels(product: Product, rows: Iterable[Row]) -> dict[str, int]:
    counts = Counter(str(row["target"]) for row in rows) if product.labels else Counter()
    return {label: counts[label] for label in product.labels}


def _write(
    request: BuildRequest,
    bench: Workbench,
    product: Product,
    splits: dict[str, list[Row]],
    licence: str,
    language: str,
    there: bool,
    artefacts: Sequence[Artefact],
) -> list[str]:
    kind, folder, name = KINDS[product.kind], request.place.parent, request.place.name
    present = next(iter(splits.values()))[0]
    fields = {ours: ours for ours in ("id", *kind.inputs, *kind.optional, "target", "group") if ours in present}
    proposal = Proposal(kind, fields, splits, labels=list(product.labels), scale=product.scale)
    settings = TaskSettings(product.kind, request.inputs, title=request.title, license=licence)
    table = task_table(proposal, settings, language, name) | {
        "summary": request.maker.summary,
        "link": "Not published yet.",
        **product.extra,
    }
    if request.trained_on:
        table["trained-on"] = request.trained_on
    validate_rows(proposal, table, folder.resolve().name, name)
    if request.dry_run:
        return []
    known = describe(request.maker, bench, splits, licence, artefacts)
    suite = None if there else suite_table(folder.resolve().name, language, "", licence, name)
    return [str(folder / file) for file in write_task(folder, name, table, splits, known, suite)]
