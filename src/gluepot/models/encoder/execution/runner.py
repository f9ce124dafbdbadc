"""Execution of a net on a device: outputs for rows, and gradients for a batch, in parts that fit into memory."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from math import fsum

import numpy as np
import torch

from gluepot.errors import GluepotError
from gluepot.models.encoder.execution.devices import DTYPES, autocast_context, choose_device, free_memory, out_of_memory
from gluepot.models.encoder.execution.threads import side_by_side, worker_count
from gluepot.models.encoder.networks.nets import Net
from gluepot.models.encoder.preprocessing.batches import BUDGET, Batch, by_budget, even_batches, make_batch, same_length
from gluepot.models.encoder.task_formats import EncodedRows, Floats, Loss
from gluepot.models.encoder.training.distributed import ProcessGroup
from gluepot.models.encoder.training.losses import decisions, loss_sum
from gluepot.models.precision_probe import FULL
from gluepot.models.pretrained.packed_weights import packed_weights

GPU_BUDGET = 16_384
ALONE = "encoder: memory runs out with a single item. Take a smaller model, or a protocol with a shorter max-length."


@dataclass
class TrainingSet:
    """Training data: rows, their gold outputs, and the rows that belong together."""

    encoded: EncodedRows
    gold: list[Floats]
    units: list[list[int]]
    loss: Loss


class BatchOutOfMemoryError(Exception):
    """Raised when memory runs out."""

    def __init__(self, rows: list[int]) -> None:
        super().__init__(rows)
        self.rows = rows


@dataclass
class Runner:
    """Runs a net on one device; the budget is halved when memory runs out, and remains so."""

    net: Net
    pad: int
    device: torch.device = field(default_factory=choose_device)
    precision: str = FULL
    budget: int = BUDGET
    halved: int = 0
    shared: ProcessGroup | None = None
    """Other processes that train on the same batches, if there are any."""

    def __post_init__(self) -> None:
        self.move(self.device)

    def move(self, device: torch.device) -> None:
        """Move the net to another device and reset the budget."""
        self.device = device
        self.budget = BUDGET if device.type == "cpu" else GPU_BUDGET
        self.net.to(device)

    def outputs(self, encoded: EncodedRows) -> list[Floats]:
        """Return the net's outputs for each row, run in order of length so that there is hardly any padding."""
        found: list[Floats] = [np.zeros((0, 1), np.float32)] * len(encoded)

        def look(batch: Batch) -> None:
            with torch.inference_mode():
                flat = self._forward(batch).float().cpu().numpy()
            sizes = batch.counts if self.net.per_mark else [1] * len(batch.rows)
            for row, part in zip(batch.rows, np.split(flat, np.cumsum(sizes)[:-1]), strict=True):
                found[row] = part

        self.net.eval()
        with self._packed(encoded):
            self._in_parts([[row] for row in range(len(encoded))], encoded, None, look)
        return found

    def loss(self, training_set: TrainingSet) -> float:
        """Return the mean loss over all units."""
        losses: dict[int, float] = {}

        def look(batch: Batch) -> None:
            with torch.inference_mode():
                losses[batch.rows[0]] = float(loss_sum(training_set.loss, self._forward(batch), batch))

        self.net.eval()
        with self._packed(training_set.encoded):
            self._in_parts(training_set.units, training_set.encoded, training_set.gold, look, losses.clear)
        return fsum(losses.values()) / decisions(training_set.loss, training_set.encoded, training_set.units)

    def learn(self, training_set: TrainingSet, units: Sequence[list[int]], scale: float = 1.0) -> float:
        """Compute gradients of `scale` times the mean loss of some units, as if run in one batch; return the mean loss."""
        count = decisions(training_set.loss, training_set.encoded, units)
        losses: list[float] = []

        def look(batch: Batch) -> None:
            value = loss_sum(training_set.loss, self._forward(batch), batch)
            (value * (scale / count)).backward()
            losses.append(float(value.detach()))

        def forget() -> None:
            losses.clear()
            self.net.zero_grad(set_to_none=True)

        self.net.train()
        forget()
        own = units if self.shared is None else self.shared.part(units)
        self._in_parts(own, training_set.encoded, training_set.gold, look, forget)
        total = sum(losses)
        return (total if self.shared is None else self.shared.add_up(self.net, total)) / count

    def _packed(self, encoded: EncodedRows) -> AbstractContextManager[object]:
        """Return the context with packed weights for a pass over these rows."""
        return packed_weights(self.net, DTYPES.get(self.precision, torch.float32), sum(map(len, encoded.ids)), self.budget)

    def _forward(self, batch: Batch) -> torch.Tensor:
        with autocast_context(self.device, self.precision):
            return self.net(batch)

    def _batches(self, units: Sequence[list[int]], encoded: EncodedRows) -> list[list[int]]:
        """Return batches for prediction: an item's answer must not depend on the items that it is run with."""
        if self.net.padding_sensitive:
            return same_length(units, encoded, self.budget)
        return even_batches(units, encoded, self.budget, worker_count(self.device))

    def _in_parts(
        self,
        units: Sequence[list[int]],
        encoded: EncodedRows,
        gold: list[Floats] | None,
        work: Callable[[Batch], None],
        forget: Callable[[], None] = lambda: None,
    ) -> None:
        """Run all batches; if one does not fit into memory, start over with half the budget."""

        def run(rows: list[int]) -> None:
            try:
                work(make_batch(encoded, rows, self.pad, self.device, gold))
            except (RuntimeError, MemoryError) as error:
                if not out_of_memory(error):
                    raise
                raise BatchOutOfMemoryError(rows) from error

        done = False
        while not done:
            try:
                if self.net.training:
                    for rows in by_budget(units, encoded, self.budget):
                        run(rows)
                else:
                    side_by_side(run, self._batches(units, encoded), self.device)
                done = True
            except BatchOutOfMemoryError as full:
                if any(len(unit) == len(full.rows) for unit in units if unit[0] == full.rows[0]):
                    raise GluepotError(ALONE) from full
                self.budget, self.halved = self.budget // 2, self.halved + 1
                forget()
                free_memory(self.device)
