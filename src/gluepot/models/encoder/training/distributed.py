"""Training on several GPUs with accelerate: one process each, every batch split between them, one step on the sum of their gradients."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from msgspec import convert, to_builtins

from gluepot.models.encoder.execution.devices import NonFiniteLossError, choose_device
from gluepot.models.encoder.networks.lora import learned_weights, load_learned
from gluepot.models.pretrained.devices import AUTO

KEPT = ("looks", "best", "best_look", "pruned", "seconds", "learned")
"""Results of a training besides the weights."""


@dataclass
class ProcessGroup:
    """One process among several."""

    accelerator: Any

    def part(self, units: Sequence[list[int]]) -> list[list[int]]:
        """Return this process's share of a batch; batches are sorted by length, so that shares cost the same."""
        return list(units[self.accelerator.process_index :: self.accelerator.num_processes])

    def add_up(self, net: torch.nn.Module, loss: float) -> float:
        """Sum the gradients of all processes in one message; return the sum of the losses."""
        weights = [weight for weight in net.parameters() if weight.requires_grad]
        for weight in weights:
            weight.grad = torch.zeros_like(weight) if weight.grad is None else weight.grad
        told = torch.tensor([loss], device=weights[0].device, dtype=weights[0].dtype)
        flat = self.accelerator.reduce(torch.cat([*(weight.grad.reshape(-1) for weight in weights), told]), reduction="sum")
        for weight, grad in zip(weights, flat[:-1].split([weight.numel() for weight in weights]), strict=True):
            weight.grad.copy_(grad.view_as(weight))
        return float(flat[-1])


def processes() -> int:
    """Return the number of GPUs to use: all that are visible, unless one is named."""
    return 1 if os.environ.get("GLUEPOT_DEVICE") else max(1, torch.cuda.device_count())


def first_device(named: str = AUTO) -> torch.device:
    """Return the device to create a net on: processes that are started later must find the GPUs untouched."""
    found: torch.device = torch.device("cpu") if processes() > 1 and named == AUTO else choose_device(named)
    return found


def run_on_all(training_loop: Any, training_set: Any, named: str = AUTO) -> None:
    """Train on every available GPU, or on the named device; the trained net then predicts on the first."""
    if processes() < 2 or named != AUTO:
        training_loop.run(training_set)
        return
    from accelerate import notebook_launcher

    run_in_processes(training_loop, training_set, lambda work: notebook_launcher(work, num_processes=processes()))
    training_loop.runner.move(choose_device())


def run_in_processes(training_loop: Any, training_set: Any, launch: Callable[[Callable[[], None]], None]) -> None:
    """Run the same training loop in each process with its share of every batch, and adopt the first one's result."""
    from gluepot.models.encoder.training.loop import DevEvaluation

    with TemporaryDirectory(prefix="gluepot-train-") as place:
        path = Path(place) / "result.pt"

        def work() -> None:
            from accelerate import Accelerator

            accelerator = Accelerator(cpu=not torch.cuda.is_available())
            training_loop.runner.shared = ProcessGroup(accelerator)
            training_loop.runner.move(accelerator.device)
            try:
                training_loop.run(training_set)
            except NonFiniteLossError:  # the summed gradients are not finite in all processes alike
                training_loop.state = {}
                training_loop.seconds = -1.0
            if accelerator.is_main_process:
                torch.save(
                    {
                        "net": learned_weights(training_loop.runner.net),
                        **{name: to_builtins(getattr(training_loop, name)) for name in KEPT},
                    },
                    path,
                )
            accelerator.wait_for_everyone()

        launch(work)
        found = torch.load(path, weights_only=True)
    if found["seconds"] < 0:
        raise NonFiniteLossError
    load_learned(training_loop.runner.net, found["net"])
    for name in KEPT:
        setattr(training_loop, name, convert(found[name], list[DevEvaluation]) if name == "looks" else found[name])
