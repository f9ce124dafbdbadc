"""Tokenizer and net of a model in a folder, in the hub's cache or on the hub; what is not there gets one sentence."""

import os
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers import AutoConfig, AutoTokenizer

from gluepot.errors import GluepotError
from gluepot.models import CannotSolve
from gluepot.models.encoder.nets import NETS, Net
from gluepot.models.encoder.pieces import LONGEST, Pieces

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()


def read_config(place: str) -> Any:
    """The model's configuration, which is also the test of whether the model is there at all."""
    folder = Path(place).expanduser()
    looks_local = folder.exists() or place.startswith((".", "/", "~")) or place.count("/") > 1
    if looks_local and not (folder / "config.json").is_file():
        what = "has no config.json, so it is no Hugging Face model" if folder.is_dir() else "is not there"
        raise GluepotError(f"encoder: the folder {place} {what}.")
    try:
        return AutoConfig.from_pretrained(_where(place))
    except (OSError, ValueError) as error:
        if looks_local:
            raise GluepotError(f"encoder: {place}: {_first_line(error)}") from error
        offline = " (HF_HUB_OFFLINE is set)" if os.environ.get("HF_HUB_OFFLINE") == "1" else ""
        raise GluepotError(
            f"encoder: no model {place!r}: there is no such folder, it is not in the hub's cache, and the hub did not give it{offline}. "
            "Check the name, or get the model where there is a network and name its folder."
        ) from error


def read_pieces(place: str, config: Any, longest: int | None) -> Pieces:
    try:
        tokenizer = AutoTokenizer.from_pretrained(_where(place))
    except (OSError, ValueError, ImportError) as error:
        raise GluepotError(f"encoder: {place} has no tokenizer that can be read: {_first_line(error)}") from error
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
        return NETS[kind](_where(place), config, outputs)
    except ValueError as error:
        if "configuration class" not in str(error):
            raise
        raise CannotSolve(f"encoder: a model of the type {config.model_type!r} has no head for this ({kind}): {place}.") from error
    except (OSError, RuntimeError) as error:
        raise GluepotError(f"encoder: the weights of {place} cannot be read: {_first_line(error)}") from error


def _where(place: str) -> str:
    folder = Path(place).expanduser()
    return str(folder) if folder.is_dir() else place


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def count_parameters(net: torch.nn.Module) -> int:
    return sum(parameter.numel() for parameter in net.parameters())
