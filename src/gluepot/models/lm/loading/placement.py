"""Placement of a language model's weights: on one device, on each of several GPUs, or spread over all devices."""

from dataclasses import dataclass
from typing import Any

from gluepot.errors import GluepotError, WrongUse
from gluepot.models import pretrained
from gluepot.models.caches import cache_root
from gluepot.models.pretrained.devices import AUTO, choose_device


@dataclass(frozen=True)
class Placement:
    """Device settings given by the user."""

    device: str = AUTO
    device_map: str = ""
    """Strategy of accelerate for a model larger than a GPU; empty for one device."""

    def __post_init__(self) -> None:
        if self.device_map and self.device != AUTO:
            raise WrongUse("--device-map spreads a model over all devices: leave out --device.")


ANYWHERE = Placement()


def all_devices(named: str = AUTO) -> list[Any]:
    """Return the devices that each get a copy of the model: all GPUs, unless a device is named."""
    import torch

    chosen = choose_device(named)
    if named != AUTO or chosen != torch.device("cuda") or torch.cuda.device_count() < 2:
        return [chosen]
    return [torch.device("cuda", number) for number in range(torch.cuda.device_count())]


def map_settings(device_map: str) -> dict[str, Any]:
    """Return the `from_pretrained` arguments; parts that fit into no memory are read from files when needed."""
    return {"device_map": device_map, "offload_folder": str(cache_root() / "offload")} if device_map else {}


def spread_out(model: Any, device_map: str) -> Any:
    """Spread a model that is already in memory over GPUs and main memory."""
    from accelerate import dispatch_model, infer_auto_device_map
    from accelerate.utils import get_balanced_memory

    kept_whole = list(model._no_split_modules or [])
    low = device_map == "balanced_low_0"
    room = None if device_map == "sequential" else get_balanced_memory(model, no_split_module_classes=kept_whole, low_zero=low)
    places = infer_auto_device_map(model, max_memory=room, no_split_module_classes=kept_whole)
    return dispatch_model(model, places, offload_dir=str(cache_root() / "offload"), force_hooks=True)


def check_quantization(place: str, config: Any) -> None:
    """Raise GluepotError if the library that runs a model's quantised weights is missing or does not work here."""
    from transformers.quantizers.auto import AutoHfQuantizer

    told = getattr(config, "quantization_config", None)
    if told is None:
        return
    method = told.get("quant_method") if isinstance(told, dict) else told.quant_method
    method = getattr(method, "value", method)
    try:
        AutoHfQuantizer.from_config(told, pre_quantized=True).validate_environment(device_map=None, weights_only=True)
    except Exception as error:  # each method reports a missing requirement in its own way
        why = pretrained.first_line(error)
        raise GluepotError(f"lm: the weights of {place} are quantised ({method}), which does not run here: {why} {INSTEAD}") from error


INSTEAD = "Take the weights as they were before, or a GGUF file, which runs anywhere."
