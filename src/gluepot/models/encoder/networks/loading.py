"""Loading of a model's tokenizer and net from a folder, the Hub's cache or the Hub, with a clear error for what is missing."""

from pickle import UnpicklingError
from typing import Any

import torch
from safetensors import SafetensorError
from transformers import AutoTokenizer

from gluepot.errors import GluepotError
from gluepot.models import CannotSolve, pretrained
from gluepot.models.encoder.networks.nets import NETS, Net
from gluepot.models.encoder.preprocessing.batches import make_batch
from gluepot.models.encoder.preprocessing.tokenization import LONGEST, Tokenization
from gluepot.models.encoder.task_formats import EncodedRows
from gluepot.models.pretrained import PretrainedSource

pretrained.silence_libraries()
FEWEST = 10
"""Minimum vocabulary besides the special tokens: transformers makes up an empty one where the files are missing."""
PROBE = "a a a a a a a a"
FARTHEST = 1e-3
"""Largest relative deviation of outputs from those of the row alone where padding follows it."""


def read_config(source: PretrainedSource) -> Any:
    """Load the model's configuration, which also tests whether the model exists."""
    return pretrained.read_config("encoder", source)


def read_tokenization(source: PretrainedSource, config: Any, longest: int | None) -> Tokenization:
    place = source.place
    try:
        tokenizer = AutoTokenizer.from_pretrained(source.where, trust_remote_code=source.trust_remote_code, **source.pinned)
    except (OSError, ValueError, ImportError) as error:
        raise GluepotError(f"encoder: {place} has no tokenizer that can be read: {pretrained.first_line(error)}") from error
    if len(tokenizer) - len(tokenizer.all_special_tokens) < FEWEST:
        raise GluepotError(f"encoder: {place} has no tokenizer: its files (tokenizer.json, or a vocabulary) are not there.")
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token
    return Tokenization(tokenizer, max_length(config, tokenizer, longest))


def max_length(config: Any, tokenizer: Any, longest: int | None) -> int:
    """Return the maximum pieces in a row: the least of what protocol, tokenizer and position embeddings allow."""
    positions = getattr(config, "max_position_embeddings", None) or LONGEST
    if positions % 8 == 2:  # RoBERTa and similar models count positions from the padding's on: 514 for 512
        positions -= 2
    told = tokenizer.model_max_length if tokenizer.model_max_length < 1_000_000 else positions
    return int(min(positions, told, longest or positions))


def read_net(source: PretrainedSource, config: Any, kind: str, outputs: int, tokenization: Tokenization) -> Net:
    """Load the pretrained net with a new head, whose weights torch's seed determines."""
    place = source.place
    if getattr(config, "pad_token_id", None) is None:
        config.pad_token_id = tokenization.tokenizer.pad_token_id
    try:
        net = NETS[kind](source, config, outputs)
    except ValueError as error:
        if "configuration class" not in str(error):
            raise
        raise CannotSolve(f"encoder: a model of the type {config.model_type!r} has no head for this ({kind}): {place}.") from error
    except (OSError, RuntimeError, EOFError, SafetensorError, UnpicklingError) as error:
        raise GluepotError(f"encoder: the weights of {place} cannot be read: {pretrained.first_line(error)}") from error
    try:
        _try_out(net, tokenization)
    except Exception as error:  # whatever third-party architectures need that an encoder is not given
        what = f"a model of the type {config.model_type!r} cannot be used like this ({kind})"
        raise CannotSolve(f"encoder: {what}: {place}: {pretrained.first_line(error)}") from error
    return net


def _try_out(net: Net, tokenization: Tokenization) -> None:
    """Run one short row, which fails for models with a decoder or image input; then beside a longer row, to test padding effects."""
    pieces = tokenization.read([PROBE])[PROBE].ids[: tokenization.room(pair=False)]
    encoded = EncodedRows()
    for number, own in enumerate((pieces[: len(pieces) // 2], pieces)):
        encoded.add(number, tokenization.join(own), [0, 1, 0, 1])
    pad, cpu = tokenization.tokenizer.pad_token_id or 0, torch.device("cpu")
    with torch.no_grad():
        net.eval()(make_batch(encoded, [0], pad, cpu))
        alone, beside = (net.model(**make_batch(encoded, rows, pad, cpu).inputs(net.model))[0][0] for rows in ([0], [0, 1]))
    far = (beside[: len(alone)] - alone).norm() / alone.norm()
    net.padding_sensitive = bool(far > FARTHEST)


def count_parameters(net: torch.nn.Module) -> int:
    return sum(parameter.numel() for parameter in net.parameters())
