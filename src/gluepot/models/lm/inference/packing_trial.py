"""Trial of whether texts packed into one pass come out as they do alone: a model may accept a mask and ignore it.

The result is cached by the model's class, configuration and dtype, the use of tiles, and the library's version.
"""

from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from gluepot.files import write_atomically
from gluepot.models.caches import cache_root
from gluepot.models.lm.inference.separate import SeparateTexts
from gluepot.notices import notify

if TYPE_CHECKING:
    from gluepot.models.lm.inference.packing import Passes

KNOWN = {"full_attention", "sliding_attention"}
"""Layer types that respect a mask."""
OWN_MASKS = ("attention_types", "attention_window_size", "attention_chunk_size")
"""Settings of layers with windows of their own, which a short trial would not reveal."""
FARTHEST, FARTHEST_HALF = 1e-2, 0.1
"""Largest relative distance of states from those of the text alone, in 32 bits and in 16."""
YES = b"yes\n"
_tried: "WeakKeyDictionary[Any, bool]" = WeakKeyDictionary()


def supports_packing(passes: "Passes") -> bool:
    """Return whether a model's passes may hold many texts."""
    if passes.model not in _tried:
        _tried[passes.model] = _is_known(passes.model.config.get_text_config()) and _agreed(passes)
        if not _tried[passes.model]:
            notify(f"lm: the texts of a model of type {passes.model.config.model_type!r} are run one by one, which takes longer.")
    return _tried[passes.model]


def _is_known(config: Any) -> bool:
    return KNOWN.issuperset(getattr(config, "layer_types", None) or ()) and not any(getattr(config, name, None) for name in OWN_MASKS)


def _agreed(passes: "Passes") -> bool:
    """Return the cached result or run the trial; results of third-party code, which may change under its name, are not cached."""
    place = _place(passes)
    with suppress(OSError):
        return place.read_bytes() == YES
    found = _agrees(passes)
    if type(passes.model).__module__.startswith("transformers."):
        with suppress(OSError):  # a full disk is no reason to fail
            write_atomically(place, YES if found else b"no\n")
    return found


def _place(passes: "Passes") -> Path:
    from importlib.metadata import version

    model = passes.model
    of = (type(model).__module__, type(model).__name__, version("transformers"), model.config.to_json_string(), passes.tiled, model.dtype)
    return cache_root() / "packing" / sha256("\n".join(map(str, of)).encode()).hexdigest()[:24]


def _agrees(passes: "Passes") -> bool:
    """Compare the states of two short questions behind a prefix, one with two options, with those of each text alone."""
    import torch

    from gluepot.models.lm.inference.packing import Layout

    words = passes.model.get_input_embeddings().weight.shape[0]
    numbers = [(11 + 7 * number) % words for number in range(12)]
    layout, places = Layout(2), list[int]()
    for group, options in ((0, 2), (1, 1)):
        layout.put(group, numbers[2 + 2 * group : 4 + 2 * group], 2)
        for option in range(options):
            begin = layout.put(group, numbers[6 + group + 2 * option : 8 + group + 2 * option], 4, option)
            places += [begin, begin + 1]
    with torch.inference_mode():
        alone = SeparateTexts(passes.model).run(numbers[:2], layout, places)
        try:
            passes.prefix.keep(numbers[:2])
            found = passes.packed(layout, places)
        except Exception:  # any failure of the architecture on such a pass
            return False
    far = float(((found - alone).float().norm(dim=-1) / alone.float().norm(dim=-1)).max())
    return far < (FARTHEST if passes.model.dtype == torch.float32 else FARTHEST_HALF)
