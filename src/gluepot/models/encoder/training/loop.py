"""Training loop: AdamW, linear warm-up and decay, evaluation on the development data, best state, and early stopping."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from math import ceil, inf, isfinite, prod
from time import perf_counter
from typing import Any

import numpy as np
import torch
from msgspec import Struct

from gluepot.models.encoder.execution.devices import NonFiniteLossError, seed_all
from gluepot.models.encoder.execution.runner import Runner, TrainingSet
from gluepot.models.encoder.networks.lora import RATE, is_adapted, learned_weights, load_learned
from gluepot.models.encoder.networks.vocabulary import trained_tokens
from gluepot.models.encoder.preprocessing.batches import epoch
from gluepot.models.encoder.training.checkpoints import Checkpoint
from gluepot.models.protocols import Settings

LARGEST_GRADIENT = 1.0
MOST = 8
"""Limit of the tokens of one item's options, as a multiple of the budget."""
NO_DECAY = ("bias", "norm.weight", "layernorm.weight", "layer_norm.weight", "ln_1.weight", "ln_2.weight", "ln_f.weight")
"""Name suffixes of weights without weight decay."""


class DevEvaluation(Struct, frozen=True):
    """One evaluation on the development data."""

    step: int
    train_loss: float
    dev_loss: float | None = None
    dev_score: float | None = None


PruningCallback = Callable[[int, float], bool]
"""Called with the number of an evaluation and its value, higher is better; returns whether to give up this configuration."""


@dataclass
class TrainingLoop:
    """One training with one configuration and seed."""

    runner: Runner
    settings: Settings
    seed: int
    evaluate: Callable[[], tuple[float | None, float | None]] | None = None
    """Returns loss and score on the development data."""
    watch: PruningCallback | None = None
    looks: list[DevEvaluation] = field(default_factory=list)
    best: float = -inf
    best_look: int = -1
    pruned: bool = False
    seconds: float = 0.0
    learned: int = 0
    state: dict[str, torch.Tensor] = field(default_factory=dict)
    checkpoint: Checkpoint | None = None
    step: int = 0
    in_epoch: int = 0
    """Number of completed batches of the epoch."""
    losses: list[float] = field(default_factory=list)
    """Losses since the last evaluation."""

    def run(self, training_set: TrainingSet) -> None:
        """Train the net and leave it in the state that the settings select."""
        start = perf_counter()
        seed_all(self.seed)
        net, settings = self.runner.net, self.settings
        self.rng = np.random.default_rng(self.seed)
        self.epoch_start: dict[str, Any] = dict(self.rng.bit_generator.state)
        self.a_round = ceil(len(training_set.units) / settings.batch_size)
        self.steps = min(settings.epochs * self.a_round, settings.max_steps or settings.epochs * self.a_round)
        self.rate = rate_for(net, settings)
        self.tokens = trained_tokens(net, training_set.encoded.ids, self.runner.pad)
        try:
            before = self._train(training_set, start)
        finally:
            if self.tokens:
                self.tokens.leave(self._decay())
        if self.state:
            load_learned(net, self.state)
        self.seconds = before + perf_counter() - start

    def _train(self, training_set: TrainingSet, start: float) -> float:
        """Run all epochs, or those that remain; return the seconds spent before."""
        self.optimizer = make_optimizer(self.runner.net, self.settings)
        self.scaler = torch.amp.GradScaler(self.runner.device.type, enabled=self.runner.precision == "fp16")
        if self.checkpoint is not None:
            with self.whole_net():
                self.checkpoint.restore(self)
        before = self.seconds
        while self.step < self.steps and not self._over():
            self._epoch(training_set, before, start)
        return before

    def whole_net(self) -> AbstractContextManager[None]:
        """Return the context in which the net has the embeddings of all tokens."""
        return self.tokens.whole_table(self._decay()) if self.tokens else nullcontext()

    def _decay(self) -> float:
        """Return the factor that weight decay has applied by now to an embedding without a gradient."""
        settings = self.settings
        rates = (self.rate * schedule(step, settings.warmup, self.steps) for step in range(self.step))
        return prod(1 - rate * settings.weight_decay for rate in rates) if settings.weight_decay else 1.0

    def _epoch(self, training_set: TrainingSet, before: float, start: float) -> None:
        """Run one epoch, or what is left of it after an interruption."""
        settings, every = self.settings, self.settings.evaluate_every or self.a_round
        for units in self._batches(training_set):
            set_rate(self.optimizer, self.rate, settings.warmup, self.step, self.steps)
            kept = [subsample_options(unit, training_set, MOST * self.runner.budget, self.rng) for unit in units]
            self.losses.append(self._step(training_set, kept, self.optimizer, self.scaler))
            self.step += 1
            self.in_epoch += 1
            if self.step % every == 0 or self.step == self.steps:
                self._look(self.step, self.losses)
                self.losses = []
            if self.checkpoint is not None and self.checkpoint.is_due(self.step) and self.step < self.steps:
                self.seconds = before + perf_counter() - start
                with self.whole_net():
                    self.checkpoint.save(self)
            if self.step >= self.steps or self._over():
                return
        self.in_epoch = 0

    def _batches(self, training_set: TrainingSet) -> Iterator[list[list[int]]]:
        """Return the remaining batches of the epoch; their order is drawn at its start, also where another process began it."""
        now = dict(self.rng.bit_generator.state)
        if self.in_epoch:
            self.rng.bit_generator.state = self.epoch_start
        else:
            self.epoch_start = now
        batches = epoch(training_set.units, training_set.encoded, self.settings.batch_size, self.rng)
        if self.in_epoch:
            for _ in range(self.in_epoch):
                next(batches)
            self.rng.bit_generator.state = now
        return batches

    def _step(self, training_set: TrainingSet, units: Sequence[list[int]], optimizer: Any, scaler: Any) -> float:
        scale = float(scaler.scale(torch.ones((), device=self.runner.device)))  # get_scale() would not initialize the scaler
        loss = self.runner.learn(training_set, units, scale)
        scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(self.runner.net.parameters(), LARGEST_GRADIENT)
        if not isfinite(loss) or not (scaler.is_enabled() or torch.isfinite(norm)):
            raise NonFiniteLossError
        scaler.step(optimizer)
        scaler.update()
        self.learned += len(units)
        return loss

    def _look(self, step: int, losses: list[float]) -> None:
        """Evaluate, save the state if it is the best so far, and determine whether to continue."""
        with self.whole_net():
            self._evaluate(step, losses)

    def _evaluate(self, step: int, losses: list[float]) -> None:
        loss, score = self.evaluate() if self.evaluate else (None, None)
        self.looks.append(DevEvaluation(step, float(np.mean(losses)), loss, score))
        value = self.value_of(loss, score)
        if value is None:
            return
        if value > self.best:
            self.best, self.best_look = value, len(self.looks) - 1
            if self.settings.select != "last":
                self.state = {name: tensor.detach().cpu().clone() for name, tensor in learned_weights(self.runner.net).items()}
        self.pruned = bool(self.watch and self.watch(len(self.looks), value))

    def value_of(self, loss: float | None, score: float | None) -> float | None:
        """Return the value that states are compared by, higher is better; None if it is not a number."""
        value = -loss if self.settings.select == "loss" and loss is not None else score
        return value if value is not None and isfinite(value) else None

    def _over(self) -> bool:
        patience = self.settings.patience
        tired = patience is not None and self.best_look >= 0 and len(self.looks) - 1 - self.best_look >= patience
        return tired or self.pruned


def subsample_options(unit: list[int], training_set: TrainingSet, most: int, rng: np.random.Generator) -> list[int]:
    """Reduce an item with too many long options to the right ones and as many wrong ones as fit, others in the next epoch."""
    longest = max(len(training_set.encoded.ids[row]) for row in unit)
    if len(unit) * longest <= most:
        return unit
    right = [row for row in unit if training_set.gold[row].any()]
    wrong = [row for row in unit if not training_set.gold[row].any()]
    count = max(1, most // longest - len(right))
    return sorted([*right, *rng.permutation(wrong)[:count].tolist()])


WIDTH = 768


def rate_for(net: Any, settings: Settings) -> float:
    """Return the full learning rate: scaled by the net's width where the protocol says so, and larger for adapters.

    >>> from types import SimpleNamespace as Some
    >>> round(rate_for(Some(model=Some(config=Some(hidden_size=384))), Settings(learning_rate=5e-5, by_width=True)), 6)
    0.0001
    """
    width = getattr(net.model.config, "hidden_size", WIDTH) if settings.by_width else WIDTH
    return settings.learning_rate * min(4.0, WIDTH / width) * (RATE if is_adapted(net) else 1)


def make_optimizer(net: torch.nn.Module, settings: Settings) -> torch.optim.Optimizer:
    named = [(name.lower(), weight) for name, weight in net.named_parameters() if weight.requires_grad]
    plain = [weight for name, weight in named if name.endswith(NO_DECAY)]
    decaying = [weight for name, weight in named if not name.endswith(NO_DECAY)]
    groups = [{"params": decaying, "weight_decay": settings.weight_decay}, {"params": plain, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, fused=True)


def set_rate(optimizer: torch.optim.Optimizer, rate: float, warmup: float, step: int, steps: int) -> None:
    for group in optimizer.param_groups:
        group["lr"] = rate * schedule(step, warmup, steps)


def schedule(step: int, warmup: float, steps: int) -> float:
    """Return the fraction of the full rate: linear warm-up to all of it, then linear decay to zero."""
    rise = ceil(warmup * steps)
    return (step + 1) / max(1, rise) if step < rise else (steps - step) / max(1, steps - rise)
