"""Losses over a batch's flat outputs, as sums: a batch may be split and the parts added up."""

from collections.abc import Sequence

from torch import Tensor
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence

from gluepot.models.encoder.preprocessing.batches import Batch
from gluepot.models.encoder.task_formats import EncodedRows, Loss


def loss_sum(loss: Loss, outputs: Tensor, batch: Batch) -> Tensor:
    """Return the summed loss of a batch."""
    assert batch.gold is not None
    outputs = outputs.float()
    if loss == "label":
        return functional.cross_entropy(outputs, batch.gold.long(), reduction="sum")
    if loss == "number":
        return functional.mse_loss(outputs[:, 0], batch.gold, reduction="sum")
    if loss == "right":
        return functional.binary_cross_entropy_with_logits(outputs[:, 0], batch.gold, reduction="sum")
    if loss == "one-of-group":
        return one_of(outputs[:, 0], batch.gold, batch.groups)
    return (one_of(outputs[:, 0], batch.gold[:, 0], batch.counts) + one_of(outputs[:, 1], batch.gold[:, 1], batch.counts)) / 2


def one_of(values: Tensor, flags: Tensor, sizes: list[int]) -> Tensor:
    """Return the negative log probability of the right ones in each segment, summed; segments without a right one contribute nothing."""
    scores = pad_sequence(values.split(sizes), batch_first=True, padding_value=-1e9)
    right = pad_sequence(flags.split(sizes), batch_first=True) > 0
    known = right.any(dim=1)
    shares = scores[known].log_softmax(dim=1).masked_fill(~right[known], -1e9)
    return -shares.logsumexp(dim=1).sum()


def decisions(loss: Loss, encoded: EncodedRows, units: Sequence[list[int]]) -> int:
    """Return the number of decisions in some units, over which a loss is averaged."""
    if loss == "one-of-group":
        return len(units)
    rows = [row for unit in units for row in unit]
    if loss == "one-of-row":
        return len(rows)
    return sum(len(encoded.notes[row]) or 1 for row in rows)
