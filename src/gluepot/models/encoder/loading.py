"""Tokenizer and net of a model in a folder, in the hub's cache or on the hub; what is not there gets one sentence."""

from typing import Any

import torch
from transformers import AutoTokenizer

from gluepot.errors import GluepotError
from gluepot.models import CannotSolve, places
from gluepot.models.encoder.nets import NETS, Net
from gluepot.models.encoder.pieces import LONGEST, Pieces

places.quieten()


def read_config(place: str) -> Any:
    """The model's configuration, which is also the test of whether the model is there at all."""
    return places.read_config("encoder", place)


def read_pieces(place: str, config: Any, longest: int | None) -> Pieces:
    try:
        tokenizer = AutoTokenizer.from_pretrained(places.where(place))
    except (OSError, ValueError, ImportError) as error:
        raise GluepotError(f"encoder: {place} has no tokenizer that can be read: {places.first_line(error)}") from error
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token
    return Pieces(tokenizer, max_length(config, tokenizer, longest))


def max_length(config: Any, tokenizer: Any, longest: int | None) -> int:
    """Pieces in a row: the least of what protocol, tokenizer and position vectors allow."""
    positions = getattr(config, "max_position_embeddings", None) or LONGEST
    if positions % 8 == 2:  # RoBERTa and its kin count positions from the padding's on: 514 for 512
        positions -= 2
    told = tokenizer.model_max_length if tokenizer.model_max_length < 1_000_000 else positions
    return int(min(positions, told, longest or positions))


def read_net(place: str, config: Any, kind: str, outputs: int, tokenizer: Any) -> Net:
    """The pretrained net with a fresh head, whose weights torch's seed decides."""
    if getattr(config, "pad_token_id", None) is None:
        config.pad_token_id = tokenizer.pad_token_id
    try:
        return NETS[kind](places.where(place), config, outputs)
    except ValueError as error:
        if "configuration class" not in str(error):
            raise
        raise CannotSolve(f"encoder: a model of the type {config.model_type!r} has no head for this ({kind}): {place}.") from error
    except (OSError, RuntimeError) as error:
        raise GluepotError(f"encoder: the weights of {place} cannot be read: {places.first_line(error)}") from error


def count_parameters(net: torch.nn.Module) -> int:
    return sum(parameter.numel() for parameter in net.parameters())
