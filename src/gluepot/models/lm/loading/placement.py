"""Where the weights of a language model lie: on one device, on each of several cards, or spread over all there is."""

from dataclasses import dataclass
from typing import Any

from gluepot.errors import GluepotError, WrongUse
from gluepot.models import pretrained
from gluepot.models.caches import cache_root
from gluepot.models.pretrained.devices import AUTO, choose_device


@dataclass(frozen=True)
class Placement:
    """What the person at the prompt says of it."""

    device: str = AUTO
    device_map: str = ""
    """How accelerate spreads a model that is larger than a card; empty for one device."""

    def __post_init__(self) -> None:
        if self.device_map and self.device != AUTO:
            raise WrongUse("--device-map spreads a model over all devices: leave out --device.")


ANYWHERE = Placement()


def all_devices(named: str = AUTO) -> list[Any]:
    """The devices that each get a copy of the model: all cards, unless one device is named."""
    import torch

    chosen = choose_device(named)
    if named != AUTO or chosen != torch.device("cuda") or torch.cuda.device_count() < 2:
        return [chosen]
    return [torch.device("cuda", number) for number in range(torch.cuda.device_count())]


def map_settings(device_map: str) -> dict[str, Any]:
    """What `from_pretrained` is told: parts that no memory has room for are read from files as they are needed."""
    return {"device_map": device_map, "offload_folder": str(cache_root() / "offload")} if device_map else {}


def spread_out(model: Any, device_map: str) -> Any:
    """A model that is in memory already, spread over cards and memory."""
    from accelerate import dispatch_model, infer_auto_device_map
    from accelerate.utils import get_balanced_memory

    kept_whole = list(model._no_split_modules or [])
    low = device_map == "balanced_low_0"
    room = None if device_map == "sequential" else get_balanced_memory(model, no_split_module_classes=kept_whole, low_zero=low)
    places = infer_auto_device_map(model, max_memory=room, no_split_module_classes=kept_whole)
    return dispatch_model(model, places, offload_dir=str(cache_root() / "offload"), force_hooks=True)


def check_quantization(place: str, config: Any) -> None:
    """Quantised weights are run where the library that made them runs; else a sentence says which one is missing."""
    from transformers.quantizers.auto import AutoHfQuantizer

    told = getattr(config, "quantization_config", None)
    if told is None:
        return
    method = told.get("quant_method") if isinstance(told, dict) else told.quant_method
    method = getattr(method, "value", method)
    try:
        AutoHfQuantizer.from_config(told, pre_quantized=True).validate_environment(device_map=None, weights_only=True)
    except Exception as error:  # each method has its own way to say what it lacks
        why = pretrained.first_line(error)
        raise GluepotError(f"lm: the weights of {place} are quantised ({method}), which does not run here: {why} {INSTEAD}") from error


INSTEAD = "Take the weights as they were before, or a GGUF file, which runs anywhere."
