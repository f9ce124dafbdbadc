"""Checks of gold answers: unknown and missing labels, labels that never occur, and label distributions."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from gluepot.data.checks.findings import CODES, Finding
from gluepot.data.checks.material import CHECKS, Failure, Material, Split
from gluepot.plurals import pluralize

SHIFT = 0.2
"""Total variation distance between train and test from which a shift is reported."""
LISTED = 8


@CHECKS.register("labels")
def check_labels(material: Material) -> Iterator[Finding]:
    for split in material.splits.values():
        yield from _failures(material, split)
        yield from _missing(material, split)
    yield from _shares(material)


def _failures(material: Material, split: Split) -> Iterator[Finding]:
    """Report the records that the task's kind rejects, grouped by reason."""
    by_code: defaultdict[str, list[Failure]] = defaultdict(list)
    for failure in split.failures:
        by_code[failure.code if failure.code in CODES else "malformed"].append(failure)
    for code, failures in by_code.items():
        examples = [f"{split.place(f.number)}: {f.message.removesuffix('.')}" for f in failures]
        yield material.problem(code, split.name, f"{pluralize(len(failures), 'record')} refused", examples)


def _missing(material: Material, split: Split) -> Iterator[Finding]:
    refused = {failure.number for failure in split.failures}
    empty = [i for i, example in enumerate(split.examples) if example.target is None and i not in refused]
    if split.name not in split.source.unlabelled:
        if empty:
            yield material.problem(
                "missing-label", split.name, f"{pluralize(len(empty), 'item')} without an answer", map(split.place, empty)
            )
    elif len(empty) + len(refused) < len(split):
        count = len(split) - len(empty) - len(refused)
        yield material.note(
            "unexpected-label", split.name, f"{pluralize(count, 'item')} with an answer in a split said to have none", count=count
        )


def _shares(material: Material) -> Iterator[Finding]:
    counters = {name: count_labels(material, split) for name, split in material.splits.items()}
    for name, counts in counters.items():
        if total := counts.total():
            shares = [f"{label} {n / total:.1%}" for label, n in counts.most_common(LISTED)]
            more = f" and {len(counts) - LISTED} more" if len(counts) > LISTED else ""
            yield material.note("balance", name, f"{', '.join(shares)}{more}", count=total)
    yield from _unused(material, counters)
    yield from _shift(material, counters)


def count_labels(material: Material, split: Split) -> Counter[str]:
    """Count how often each label (tag, position of the correct option) is the gold answer."""
    golds = (example.target for example in split.examples if example.target is not None)
    return Counter(label for gold in golds for label in material.kind.answer.tally(gold))


def _unused(material: Material, counters: dict[str, Counter[str]]) -> Iterator[Finding]:
    """Report labels that never occur; decidable only if no split is absent."""
    used = {label for counts in counters.values() for label in counts}
    unused = [label for label in material.task.labels if label not in used]
    if used and unused and "labels" in material.kind.answer.needs and not material.absent:
        yield material.note("unused-label", None, f"{pluralize(len(unused), 'declared label')} never used", unused)


def _shift(material: Material, counters: dict[str, Counter[str]]) -> Iterator[Finding]:
    train, test = (counters.get(name, Counter()) for name in ("train", "test"))
    if not train or not test or "labels" not in material.kind.answer.needs:
        return
    differences = {label: test[label] / test.total() - train[label] / train.total() for label in train.keys() | test.keys()}
    if (distance := sum(map(abs, differences.values())) / 2) >= SHIFT:
        most = max(differences, key=lambda label: abs(differences[label]))
        shares = f"{train[most] / train.total():.1%} in train, {test[most] / test.total():.1%} in test"
        yield material.note("label-shift", "train/test", f"labels differ by {distance:.2f}, most {most}: {shares}")
