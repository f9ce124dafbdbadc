"""Made-up systems for a board, with rows of every kind: ranked, reported, incomplete, human, trivial."""

import msgspec
import numpy as np

from gluepot.records import Suite
from gluepot.tasks.declarations import load_suite

RESAMPLES = 1000


def fill(systems: int, suite: str = "superlim", seed: int = 0) -> Suite:
    """Add systems with scores of all tasks on dev and test; every seventh lacks a task, every fifth is only reported."""
    from gluepot.board.models import Entry, Revision, Score, SuiteVersion, System

    declared = load_suite(suite)
    version = SuiteVersion.objects.create(name=suite, version=declared.version, declaration=msgspec.to_builtins(declared))
    rng = np.random.default_rng(seed)
    common = {name: rng.normal(0, 0.01, RESAMPLES) for name in declared.tasks}
    scores = []
    for number in range(systems):
        system = System.objects.create(slug=f"system-{number}", name=_name(number), **_facts(number, rng))
        entry = Entry.objects.create(system=system, suite=version, kind="run", source="made up", digest=str(number), gluepot="0")
        quality, reported = rng.normal(0.5, 0.1), number % 5 == 4
        for split in ("dev", "test"):
            for task in declared.tasks.values():
                if number % 7 == 6 and task.name == "swefaq":
                    continue
                for metric in task.metrics[:2]:
                    value = float(np.round(quality + rng.normal(0, 0.05), 2))
                    drawn = (value + common[task.name] + rng.normal(0, 0.02, RESAMPLES)).astype(np.float32)
                    low, high = (None, None) if reported else (value - 0.04, value + 0.04)
                    scores.append(
                        Score(
                            entry=entry,
                            task=task.name,
                            split=split,
                            metric=metric,
                            value=value,
                            low=low,
                            high=high,
                            n=500,
                            verified=not reported,
                            replicates=None if reported else drawn.tobytes(),
                        )
                    )
    Score.objects.bulk_create(scores, batch_size=2000)
    Revision.objects.create(number=1)
    return declared


def _name(number: int) -> str:
    return {0: "Human benchmark", 1: "=cmd|' /C calc'!A0", 2: "<script>alert(1)</script>"}.get(
        number, f"Org{number % 9}/model-{number}-base"
    )


def _facts(number: int, rng: np.random.Generator) -> dict[str, object]:
    return {
        "role": "human" if number == 0 else "trivial" if number % 11 == 10 else "system",
        "family": ["Encoder", "Decoder", "Classical", ""][number % 4],
        "parameters": int(10 ** rng.uniform(7, 10.5)) if number % 6 else None,
        "data_size": float(rng.integers(1, 2000)) if number % 4 else None,
        "languages": ["sv"] if number % 2 else ["sv", "da"],
        "open_weights": [True, False, None][number % 3],
        "open_code": bool(number % 2),
    }
