"""Checkpoints of a training at regular steps: an interruption loses no more than those, and the result is the same."""

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import TYPE_CHECKING, Any

import torch
from msgspec import convert, to_builtins

from gluepot.models.encoder.networks.lora import learned_weights, load_learned
from gluepot.notices import notify

if TYPE_CHECKING:
    from gluepot.models.encoder.training.loop import TrainingLoop

EVERY = 200
"""Default number of steps between two checkpoints."""
FACTS = ("best", "best_look", "pruned", "seconds", "learned", "step", "in_epoch", "losses")


@dataclass(frozen=True)
class Checkpoint:
    """Folder and interval of the checkpoints."""

    folder: Path
    every: int = EVERY

    def path(self, precision: str) -> Path:
        """Return the path for a precision: a training that failed in half precision is restarted in fp32."""
        return self.folder / f"checkpoint-{precision}.pt"

    def is_due(self, step: int) -> bool:
        return self.every > 0 and step % self.every == 0

    def save(self, loop: "TrainingLoop") -> None:
        """Save everything that the next step depends on, atomically; in one process of several."""
        if loop.runner.shared is not None and not loop.runner.shared.accelerator.is_main_process:
            return
        path = self.path(loop.runner.precision)
        draft = path.with_suffix(f".{os.getpid()}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            torch.save(_state(loop), draft)
            draft.replace(path)
        except (OSError, RuntimeError) as error:  # a full disk is no reason to stop
            notify(f"{path}: the training cannot be kept ({error}); it goes on.")
            with suppress(OSError):
                draft.unlink()

    def restore(self, loop: "TrainingLoop") -> bool:
        """Resume from a checkpoint and return whether there was one; a broken one is deleted."""
        path = self.path(loop.runner.precision)
        if not path.is_file():
            return False
        try:
            found = torch.load(path, weights_only=True, map_location="cpu")
            _take(loop, found)
        except (OSError, RuntimeError, EOFError, UnpicklingError, KeyError, ValueError):
            notify(f"{path}: this checkpoint is broken; the training begins anew.")
            with suppress(OSError):
                path.unlink()
            return False
        return True

    def drop(self) -> None:
        """Delete the checkpoints of a finished training."""
        for path in self.folder.glob("checkpoint-*"):
            with suppress(OSError):
                path.unlink()


def _state(loop: "TrainingLoop") -> dict[str, Any]:
    generators = {"numpy": loop.rng.bit_generator.state, "epoch": loop.epoch_start}
    return {
        "net": learned_weights(loop.runner.net),
        "optimizer": loop.optimizer.state_dict(),
        "scaler": loop.scaler.state_dict(),
        "kept": loop.state,
        "dropout": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
        "generators": json.dumps(generators),
        "looks": to_builtins(loop.looks),
        "budget": [loop.runner.budget, loop.runner.halved],
        **{name: getattr(loop, name) for name in FACTS},
    }


def _take(loop: "TrainingLoop", found: dict[str, Any]) -> None:
    from gluepot.models.encoder.training.loop import DevEvaluation

    looks, generators = convert(found["looks"], list[DevEvaluation]), json.loads(found["generators"])
    load_learned(loop.runner.net, found["net"])
    loop.optimizer.load_state_dict(found["optimizer"])
    loop.scaler.load_state_dict(found["scaler"])
    loop.looks, loop.state = looks, found["kept"]
    loop.runner.budget, loop.runner.halved = found["budget"]
    loop.rng.bit_generator.state, loop.epoch_start = generators["numpy"], generators["epoch"]
    for name in FACTS:
        setattr(loop, name, found[name])
    torch.set_rng_state(found["dropout"])
    if found["cuda"]:
        torch.cuda.set_rng_state_all(found["cuda"])
    for number, look in enumerate(looks, start=1):  # the pruner receives its earlier values again
        value = loop.value_of(look.dev_loss, look.dev_score)
        if loop.watch and value is not None:
            loop.watch(number, value)
