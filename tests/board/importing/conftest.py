"""Fixtures that write runs on the pocket suite with a chosen error rate."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gluepot import __version__
from gluepot.data.examples import load_examples
from gluepot.records import Prediction, Task
from gluepot.runs.storage.manifest import Identity, Manifest
from gluepot.runs.storage.old_manifests import record_of
from gluepot.runs.storage.store import MANIFEST, RunFolder
from gluepot.runs.verification import gold_answer
from gluepot.tasks.declarations import load_suite

POCKET = load_suite("pocket")
TASKS = ("stance-sv", "paraphrase-sv", "entailment-ru")
Maker = Callable[..., Path]


def answers(task: Task, share: float, seed: int) -> list[Any]:
    """Return gold answers, a share of them replaced by the answer to another item."""
    rng = np.random.default_rng(seed)
    gold = [gold_answer(task, example) for example in load_examples(task, "test")]
    other = [gold[number] for number in rng.permutation(len(gold))]
    return [wrong if rng.random() < share else right for right, wrong in zip(gold, other, strict=True)]


@pytest.fixture
def make_run(tmp_path: Path) -> Maker:
    """Factory of run folders; `wrong` is the share of shuffled answers."""

    def make(
        model: str = "tfidf-svm",
        wrong: float = 0.3,
        seeds: Sequence[int] = (1,),
        tasks: Sequence[str] = TASKS,
        limit: int | None = None,
        version: str = POCKET.version,
        fingerprint: str | None = None,
        protocol: str = "suite",
        members: Sequence[str] = (),
    ) -> Path:
        folder = RunFolder(tmp_path / f"run-{model.replace(':', '-').replace('/', '-')[:50]}-{len(list(tmp_path.iterdir()))}")
        identity = Identity(
            suite="pocket",
            version=version,
            model=record_of(model),
            model_fingerprint=fingerprint,
            split="test",
            seeds=list(seeds),
            tasks=list(tasks),
            limit=limit,
            protocol=protocol,
            data={},
            code="code",
            gluepot=__version__,
            members=list(map(record_of, members)),
        )
        folder.write(MANIFEST, Manifest(identity, limit is not None, {}, {}, [], "2026-01-01T00:00:00+00:00"))
        for seed in seeds:
            for name in tasks:
                task = POCKET.tasks[name]
                rows = zip(load_examples(task, "test"), answers(task, wrong, seed), strict=True)
                folder.predictions(name, "test", seed).append([Prediction(example.id, output) for example, output in rows][:limit])
        return folder.path

    return make
