"""In which arithmetic nets compute: the one place where it is decided, by what was tried on this machine."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from gluepot.errors import WrongUse
from gluepot.models import ModelName
from gluepot.models.precision_probe import AUTO, FULL, PrecisionTrial, accelerators, torch_version, tried
from gluepot.models.pretrained.devices import choose_device
from gluepot.models.settings import DEVICE, PRECISION

FARTHEST = 0.05
"""How far from fp32, relatively, results and gradients may be: bf16 is 0.004 off, fp16 less."""
LEAST_GAIN = 1.2
"""How many times as fast as fp32 half precision must be to be chosen: what is gained must outweigh the digits that are lost."""


class PrecisionChoice(Struct, frozen=True):
    """A precision, and the reason for it in words."""

    precision: str
    reason: str


Chooser = Callable[[str, str], PrecisionChoice]
"""From the precision and the device that are wanted to what is chosen."""


class NotHere(WrongUse):
    """A precision that was asked for and does not work on this machine."""

    def __init__(self, precision: str, why: str) -> None:
        super().__init__(precision, why)
        self.tried = f"{precision} does not work here (tried: {why})"

    def __str__(self) -> str:
        return f"{self.tried}. Take --precision fp32, or leave it out."


def choose(wanted: str = AUTO, device: str = AUTO) -> PrecisionChoice:
    """The precision to compute in, on the device that is named; one that was asked for and does not work here is refused."""
    if device not in (AUTO, "cpu") and torch_version():
        choose_device(device)  # refused before anything is tried
    if wanted == FULL:
        return PrecisionChoice(FULL, "as asked for")
    if not torch_version():  # told where it is needed
        return PrecisionChoice(FULL, "torch is not here")
    found = tried(wanted, device)
    if wanted == AUTO:
        return _automatic(found)
    if trouble(found):
        found = tried(wanted, device, again=True)  # what was kept may have been mended since
    if why := trouble(found):
        raise NotHere(wanted, why)
    return PrecisionChoice(wanted, "as asked for")


def _automatic(found: PrecisionTrial) -> PrecisionChoice:
    if found.precision == FULL:
        return PrecisionChoice(FULL, found.failed)
    speed = "" if found.gain is None else f"{found.gain:.2g} times as fast as fp32"
    slow = speed if found.gain is not None and found.gain < LEAST_GAIN else ""
    if against := trouble(found) or slow:
        return PrecisionChoice(FULL, f"{found.precision} tried: {against}, so fp32")
    return PrecisionChoice(found.precision, f"{found.precision} tried: right{speed and ', '}{speed}")


def trouble(found: PrecisionTrial) -> str:
    """What speaks against a precision, be it as fast as it may; empty if nothing does."""
    if found.failed:
        return found.failed
    if found.error is None:
        return "its results are no numbers"
    return f"its results are {found.error:.0%} off" if found.error > FARTHEST else ""


def common_choice(choices: Sequence[PrecisionChoice]) -> PrecisionChoice:
    """What works on every machine that was asked."""
    different = {choice.precision: choice for choice in choices}
    if len(different) == 1:
        return choices[0]
    why = different[FULL].reason if FULL in different else ", ".join(sorted(different))
    return PrecisionChoice(FULL, f"the machines of the cluster differ: {why}")


def settle(model: ModelName, before: str | None = None, choose: Chooser = choose) -> tuple[ModelName, str]:
    """The model with the precision that it will compute in, and why; one that has no choice stays as it is.

    A run that goes on, or is repeated, keeps the precision that it had before.
    """
    if not model.info.takes(PRECISION):
        return model, ""
    wanted, device = str(model.setting(PRECISION) or AUTO), str(model.setting(DEVICE) or AUTO)
    if wanted == AUTO and before not in (None, AUTO):
        choice = _as_before(str(before), device, choose)
    else:
        choice = choose(wanted, device) if model.info.tuned or wanted != AUTO else _of_weights()
    return model.with_setting(PRECISION, choice.precision), choice.reason


def _as_before(precision: str, device: str, choose: Chooser) -> PrecisionChoice:
    try:
        return PrecisionChoice(choose(precision, device).precision, "as before")
    except NotHere as error:
        raise WrongUse(f"this run is in {precision}, and {error.tried}. Go on where it was begun, or begin another one.") from error


def _of_weights() -> PrecisionChoice:
    """A model that nobody trains is taken as its weights are on a GPU, and in fp32 on a processor."""
    return (
        PrecisionChoice(AUTO, "as the weights are, if torch finds the GPU; else fp32")
        if accelerators()
        else PrecisionChoice(FULL, "on a processor")
    )
