"""Training killed at any step resumes from its last checkpoint and ends bit-identical to an uninterrupted one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from gluepot.data.examples import load_examples
from gluepot.models import make_adapter, parse_model
from gluepot.models.encoder.training.loop import TrainingLoop
from gluepot.models.protocols import Settings
from gluepot.tasks.declarations import load_suite

STANCE = load_suite("pocket").tasks["stance-sv"]
SETTINGS = Settings(batch_size=4, epochs=3, evaluate_every=2, patience=50, learning_rate=1e-3)
Tiny = Callable[[str], str]


class Killed(BaseException):
    """Simulated kill -9, after which nothing cleans up."""


def train(tiny: Tiny, place: Path | None, every: int = 2, end: int | None = None) -> Any:
    """Train for three epochs of six steps, killed before the step `end`."""
    adapter: Any = make_adapter(parse_model(f"encoder:{tiny('bert')}", precision="fp32", checkpoint_every=every), 3, SETTINGS)
    adapter.steps = 0
    if place is not None:
        adapter.set_checkpoint_folder(place)
    before = TrainingLoop._step

    def step(loop: TrainingLoop, *words: Any) -> float:
        if adapter.steps == end:
            raise Killed
        adapter.steps += 1
        return before(loop, *words)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TrainingLoop, "_step", step)
        try:
            adapter.fit(STANCE, load_examples(STANCE, "train")[:24], load_examples(STANCE, "dev")[:6])
        except Killed:
            return adapter
    return adapter


def weights(adapter: Any) -> dict[str, Any]:
    return {name: tensor.clone() for name, tensor in adapter.runner.net.state_dict().items()}


def test_training_killed_repeatedly_ends_as_an_uninterrupted_one(tiny: Tiny, tmp_path: Path) -> None:
    whole = train(tiny, None)
    assert whole.steps == 18
    done = 0
    for end in (5, 4, 3):  # the first kill is within an epoch, the others after a resumption
        killed = train(tiny, tmp_path, every=2, end=end)
        assert killed.trained is None
        done += end - end % 2 if not done else (end + done) // 2 * 2 - done
        assert list(tmp_path.glob("checkpoint-fp32.pt"))
    last = train(tiny, tmp_path)
    assert last.steps == 18 - done, "no more than the steps since the last checkpoint are made again"
    assert all(torch.equal(own, weights(whole)[name]) for name, own in weights(last).items())
    assert repr(last.trained.looks) == repr(whole.trained.looks)
    assert not list(tmp_path.glob("checkpoint*"))


def test_damaged_checkpoint_is_dropped_and_none_is_written_if_disabled(
    tiny: Tiny, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "checkpoint-fp32.pt").write_bytes(b"half a file")
    assert train(tiny, tmp_path, every=2).steps == 18
    assert "this checkpoint is broken" in capsys.readouterr().err
    train(tiny, tmp_path, every=0, end=7)
    assert not list(tmp_path.glob("checkpoint*"))
