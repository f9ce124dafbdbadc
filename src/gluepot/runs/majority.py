"""Which scores cannot be told apart from always giving the most frequent answer, and which answers never change."""

from math import isnan

from gluepot.data.examples import load_examples
from gluepot.data.folders import has_split
from gluepot.data.submissions.pairing import Paired
from gluepot.metrics import Unavailable
from gluepot.metrics.sample import value_of
from gluepot.models import CannotSolve, ModelName, make_adapter
from gluepot.records import Suite
from gluepot.runs.scoring import item_groups, make_sample
from gluepot.statistics.bootstrap import generator, interval, replicate
from gluepot.statistics.paired import compare
from gluepot.tasks.judging import as_answer

CERTAIN = 0.05
RESAMPLES = 1000


def like_majority(suite: Suite, pairs: list[Paired]) -> list[str]:
    """The tasks whose answers are not certainly better than the majority baseline's, by a paired bootstrap."""
    return [paired.task.name for paired in pairs if paired.sound and not _clearly_better(suite, paired)]


def one_answer(pairs: list[Paired]) -> list[str]:
    """The tasks that got the same answer to every item: nothing was learned, or nothing understood."""
    return [paired.task.name for paired in pairs if len(paired.outputs) > 1 and all(one == paired.outputs[0] for one in paired.outputs)]


def _clearly_better(suite: Suite, paired: Paired) -> bool:
    task, metric = paired.task, paired.task.metrics[0]
    kept = [i for i, output in enumerate(paired.outputs) if output is not None]
    examples = [paired.examples[i] for i in kept]
    if any(example.target is None for example in examples):
        return True
    adapter = make_adapter(ModelName("majority"))
    learned = suite.tasks[task.trained_on or task.name]
    train = load_examples(learned, "train") if has_split(learned, "train") else []
    try:
        adapter.fit(learned, [example for example in train if example.target is not None], [])
        trivial = [as_answer(task, p.output) for p in adapter.predict(task, examples)]
        ours = make_sample(task, metric, examples, [paired.outputs[i] for i in kept])
        theirs = make_sample(task, metric, examples, trivial)
    except (CannotSolve, Unavailable):
        return True
    rng, groups = generator("majority", task.path, paired.split), item_groups(examples)
    if isnan(value_of(theirs)):  # a constant has no correlation: the question is then whether ours is above zero
        bounds = interval(replicate(ours, rng, groups, RESAMPLES))
        return bounds is not None and bounds[0] > 0
    return value_of(ours) > value_of(theirs) and compare(ours, theirs, rng, groups, RESAMPLES).p < CERTAIN
