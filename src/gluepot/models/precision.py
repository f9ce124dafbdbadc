"""Choice of the numeric precision of neural models, made in this one place from trials on this machine."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from gluepot.errors import WrongUse
from gluepot.models import ModelName
from gluepot.models.precision_probe import AUTO, FULL, PrecisionTrial, accelerators, get_trial, torch_version
from gluepot.models.pretrained.devices import choose_device
from gluepot.models.settings import DEVICE, PRECISION

FARTHEST = 0.05
"""Largest relative deviation from fp32 allowed for results and gradients: bf16 is 0.004 off, fp16 less."""
LEAST_GAIN = 1.2
"""Smallest speed-up over fp32 for which half precision is chosen: the gain must outweigh the lost digits."""


class PrecisionChoice(Struct, frozen=True):
    """A precision and the reason for it, in words."""

    precision: str
    reason: str


Chooser = Callable[[str, str], PrecisionChoice]
"""Function from the requested precision and device to the choice."""


class UnsupportedPrecisionError(WrongUse):
    """Raised when a requested precision does not work on this machine."""

    def __init__(self, precision: str, why: str) -> None:
        super().__init__(precision, why)
        self.tried = f"{precision} does not work here (tried: {why})"

    def __str__(self) -> str:
        return f"{self.tried}. Take --precision fp32, or leave it out."


def choose(wanted: str = AUTO, device: str = AUTO) -> PrecisionChoice:
    """Choose the precision for a device; raise UnsupportedPrecisionError if an explicitly requested one does not work here."""
    if device not in (AUTO, "cpu") and torch_version():
        choose_device(device)  # refused before any trial
    if wanted == FULL:
        return PrecisionChoice(FULL, "as asked for")
    if not torch_version():  # its absence is reported where it is needed
        return PrecisionChoice(FULL, "torch is not here")
    found = get_trial(wanted, device)
    if wanted == AUTO:
        return _automatic(found)
    if rejection_reason(found):
        found = get_trial(wanted, device, again=True)  # the cause of a cached failure may have been fixed since
    if why := rejection_reason(found):
        raise UnsupportedPrecisionError(wanted, why)
    return PrecisionChoice(wanted, "as asked for")


def _automatic(found: PrecisionTrial) -> PrecisionChoice:
    if found.precision == FULL:
        return PrecisionChoice(FULL, found.failed)
    speed = "" if found.gain is None else f"{found.gain:.2g} times as fast as fp32"
    slow = speed if found.gain is not None and found.gain < LEAST_GAIN else ""
    if against := rejection_reason(found) or slow:
        return PrecisionChoice(FULL, f"{found.precision} tried: {against}, so fp32")
    return PrecisionChoice(found.precision, f"{found.precision} tried: right{speed and ', '}{speed}")


def rejection_reason(found: PrecisionTrial) -> str:
    """Return the reason against a precision, regardless of its speed; empty if there is none."""
    if found.failed:
        return found.failed
    if found.error is None:
        return "its results are no numbers"
    return f"its results are {found.error:.0%} off" if found.error > FARTHEST else ""


def common_choice(choices: Sequence[PrecisionChoice]) -> PrecisionChoice:
    """Return a choice that works on every machine of the cluster."""
    different = {choice.precision: choice for choice in choices}
    if len(different) == 1:
        return choices[0]
    why = different[FULL].reason if FULL in different else ", ".join(sorted(different))
    return PrecisionChoice(FULL, f"the machines of the cluster differ: {why}")


def resolve_precision(model: ModelName, before: str | None = None, choose: Chooser = choose) -> tuple[ModelName, str]:
    """Return the model with its final precision, and the reason; a model without that setting is returned unchanged.

    A resumed or repeated run keeps its previous precision.
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
    except UnsupportedPrecisionError as error:
        raise WrongUse(f"this run is in {precision}, and {error.tried}. Go on where it was begun, or begin another one.") from error


def _of_weights() -> PrecisionChoice:
    """Choose for a model that is not trained: the precision of its weights on a GPU, fp32 on a CPU."""
    return (
        PrecisionChoice(AUTO, "as the weights are, if torch finds the GPU; else fp32")
        if accelerators()
        else PrecisionChoice(FULL, "on a processor")
    )
