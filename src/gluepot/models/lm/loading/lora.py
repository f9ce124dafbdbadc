"""`lm:BASE+ADAPTER`: a PEFT adapter, merged into the weights that it was trained on."""

from typing import Any
from warnings import catch_warnings

from gluepot.errors import GluepotError
from gluepot.models import pretrained
from gluepot.models.pretrained import PretrainedSource
from gluepot.plurals import pluralize


def merge_adapter(model: Any, adapter: PretrainedSource) -> Any:
    """Merge the adapter into the model's weights: as fast as without it, and transparent to all other code."""
    from peft import PeftConfig, PeftModel, get_peft_model_state_dict
    from peft.utils import load_peft_weights

    place = adapter.place
    try:
        config = PeftConfig.from_pretrained(adapter.where, **adapter.pinned)
        if config.is_prompt_learning:
            raise GluepotError(f"lm: {place} is an adapter of the type {_kind(config)}, which cannot be merged into a model's weights.")
        with catch_warnings(action="ignore"):  # mismatches are reported below
            adapted = PeftModel.from_pretrained(model, adapter.where, **adapter.pinned)
        stored = set(load_peft_weights(adapter.where, device="cpu", **adapter.pinned))
        taken = set(get_peft_model_state_dict(adapted))
    except GluepotError:
        raise
    except Exception as error:  # a broken file makes the library fail in many ways
        raise GluepotError(f"lm: the adapter {place} cannot be put upon this model: {pretrained.first_line(error)}") from error
    if stored != taken:
        odd = sorted(stored ^ taken)
        count = pluralize(len(odd), "weight")
        raise GluepotError(f"lm: the adapter {place} was made for another model: {count} too many or too few, first: {odd[0]}.")
    return adapted.merge_and_unload()


def _kind(config: Any) -> str:
    return str(getattr(config.peft_type, "value", config.peft_type))
