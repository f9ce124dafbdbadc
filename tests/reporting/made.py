"""Small runs on the bundled suite, with a chosen share of right answers."""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

from gluepot.data.examples import load_examples
from gluepot.models import ModelName
from gluepot.records import Example, Prediction, Suite, Task
from gluepot.runs.evaluation import TIMES, save_scores, score_run
from gluepot.runs.prediction.plan import make_plan
from gluepot.runs.storage.manifest import make_manifest, open_run
from gluepot.runs.storage.store import RunFolder
from gluepot.runs.verification import gold_answer
from gluepot.tasks import KINDS
from gluepot.tasks.declarations import load_suite

POCKET = load_suite("pocket")
EVIL = "<script>alert('&')</script>"
Answer = Callable[[Task, Example, Random], Prediction]


def blunder(task: Task, example: Example) -> Any:
    """Return a valid answer that is usually wrong."""
    wrong = {"label": task.labels[:1], "number": task.scale, "index": (0,), "index-set": (frozenset(),), "text": (EVIL,)}
    form = KINDS[task.kind].answer.form
    return ("O",) * len(example.target) if form == "tags" else wrong[form][0]


def guess(share: float, sure: float | None = None) -> Answer:
    """Return a model that knows a share of the answers, with constant confidence `sure`."""

    def answer(task: Task, example: Example, rng: Random) -> Prediction:
        output = gold_answer(task, example) if rng.random() < share else blunder(task, example)
        scores = None
        if sure is not None and KINDS[task.kind].answer.form == "label":
            rest = (1 - sure) / (len(task.labels) - 1)
            scores = [sure if label == output else rest for label in task.labels]
        return Prediction(example.id, output, scores)

    return answer


def make_run(path: Path, model: ModelName, answer: Answer, suite: Suite = POCKET, **more: Any) -> Path:
    plan, folder = make_plan(model, suite, **more), RunFolder(path)
    open_run(folder, make_manifest(plan, suite, model, "suite", ["evaluate"]), resume=False)
    for job in plan.jobs:
        for name in job.answers:
            task, rng = suite.tasks[name], Random(f"{model} {name} {job.seed}")
            items = load_examples(task, plan.split)[: plan.limit]
            folder.predictions(name, plan.split, job.seed).append([answer(task, item, rng) for item in items])
    folder.write(TIMES, {job.name: 2.0 for job in plan.jobs})
    save_scores(folder, score_run(folder, resamples=100))
    return path


def cells(tree: ElementTree.Element) -> Iterator[list[str]]:
    for row in tree.iter("tr"):
        yield ["".join(cell.itertext()).strip() for cell in row]
