"""Nets: the model's standard heads from transformers, and span heads defined here. All return a flat list of outputs."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn
from transformers import (
    MODEL_FOR_QUESTION_ANSWERING_MAPPING,
    AutoModel,
    AutoModelForQuestionAnswering,
    AutoModelForSequenceClassification,
    AutoModelForTextEncoding,
    AutoModelForTokenClassification,
)

from gluepot.errors import GluepotError
from gluepot.models.encoder.networks.dropout import FastDropout, replace_dropout
from gluepot.models.encoder.networks.lookup import look_up_sparsely
from gluepot.models.encoder.networks.unpadded import layout_of, run_unpadded
from gluepot.models.encoder.preprocessing.batches import Batch
from gluepot.models.last_layer import BERT_AND_KIN, make_narrow, only_at
from gluepot.models.pretrained import PretrainedSource

Net = Any
"""One of the classes below, or a factory of one."""


MADE = ("pooler", "embed_positions")
"""Parts of an encoder that a file may lack: newly initialized, or computed."""


BARE = (AutoModel, AutoModelForTextEncoding)
"""Auto classes for models without a head."""


def read_model(maker: Any, source: PretrainedSource, config: Any) -> Any:
    """Load a model of transformers; the head may be new, but missing encoder weights raise GluepotError."""
    model, found = maker.from_pretrained(
        source.where,
        config=config,
        ignore_mismatched_sizes=True,
        dtype=torch.float32,
        output_loading_info=True,
        weights_only=True,
        trust_remote_code=source.trust_remote_code,
        **source.pinned,
    )
    absent = {*found["missing_keys"], *(name for name, *_ in found["mismatched_keys"])}
    body = model.base_model if model.base_model is not model or maker in BARE else nn.Module()  # some models do not distinguish the two
    own = {id(weight) for weight in body.parameters() if weight.requires_grad}
    named = [name for name, weight in model.named_parameters() if id(weight) in own]
    lost = [name for name in named if name in absent and not any(part in name for part in MADE)]
    if lost:  # transformers would continue with random ones
        raise GluepotError(
            f"encoder: the weights of {source.place} do not fit its config.json: {len(lost):,} are not there, first: {lost[0]}."
        )
    return model


class _Net(nn.Module):
    """An encoder with a head."""

    per_mark = False
    """Whether outputs are per mark rather than per row."""
    padding_sensitive = False
    """Whether outputs depend on what follows a row, as those of ConvBERT and Nystromformer do."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model
        replace_dropout(model)
        self.unpadded = run_unpadded(model)
        if self.unpadded:
            look_up_sparsely(model.get_input_embeddings())
        self.narrows = not self.unpadded and make_narrow(model)

    def reading(self, batch: Batch, places: Tensor) -> AbstractContextManager[None]:
        """Return the context in which the head reads only these places of the flattened rows."""
        if self.unpadded:
            return layout_of(batch.mask, places)
        return only_at(places) if self.narrows and not self.training else nullcontext()


class _Standard(_Net):
    """Net with a head from transformers."""

    maker: Any

    def __init__(self, source: PretrainedSource, config: Any, outputs: int) -> None:
        config.num_labels = outputs
        config.problem_type = None
        super().__init__(read_model(self.maker, source, config))


class SequenceNet(_Standard):
    """Net with `outputs` numbers per row."""

    maker = AutoModelForSequenceClassification

    def __init__(self, source: PretrainedSource, config: Any, outputs: int) -> None:
        super().__init__(source, config, outputs)
        if config.model_type not in BERT_AND_KIN:
            self.narrows = False

    def forward(self, batch: Batch) -> Tensor:
        rows, width = batch.ids.shape
        with self.reading(batch, torch.arange(0, rows * width, width, device=batch.ids.device)):
            return self.model(**batch.inputs(self.model)).logits


class TokenNet(_Standard):
    """Net with `outputs` numbers per mark."""

    maker, per_mark = AutoModelForTokenClassification, True

    def forward(self, batch: Batch) -> Tensor:
        with self.reading(batch, batch.marks):
            return self.model(**batch.inputs(self.model)).logits.flatten(0, 1)[batch.marks]


class AnswerNet(_Standard):
    """Net with two numbers per mark: scores of an answer's start and end there."""

    maker, per_mark = AutoModelForQuestionAnswering, True

    def __init__(self, source: PretrainedSource, config: Any, outputs: int) -> None:
        super().__init__(source, config, 2)

    def forward(self, batch: Batch) -> Tensor:
        with self.reading(batch, batch.marks):
            found = self.model(**batch.inputs(self.model))
        return torch.stack([found.start_logits, found.end_logits], dim=-1).flatten(0, 1)[batch.marks]


class OwnAnswerNet(_Net):
    """Answer net with a head defined here, for encoders that transformers has none for: EuroBERT, NomicBERT."""

    per_mark = True

    def __init__(self, source: PretrainedSource, config: Any, outputs: int) -> None:
        super().__init__(read_model(AutoModel, source, config))
        self.classifier = nn.Linear(config.hidden_size, 2)
        nn.init.normal_(self.classifier.weight, std=getattr(config, "initializer_range", 0.02))
        nn.init.zeros_(self.classifier.bias)

    def forward(self, batch: Batch) -> Tensor:
        with self.reading(batch, batch.marks):
            states = self.model(**batch.inputs(self.model)).last_hidden_state
        return self.classifier(states.flatten(0, 1)[batch.marks])


def make_answer_net(source: PretrainedSource, config: Any, outputs: int) -> Net:
    """Use the model's own head where there is one; transformers rejects models with a decoder if it has none for them."""
    brought = AutoModelForQuestionAnswering.__name__ in (getattr(config, "auto_map", None) or {})
    known = brought or type(config) in MODEL_FOR_QUESTION_ANSWERING_MAPPING or config.is_encoder_decoder
    return (AnswerNet if known else OwnAnswerNet)(source, config, outputs)


class SpanNet(_Net):
    """Net for two marked spans, each a weighted sum of its pieces (the weights are learned), through one linear layer."""

    with_first = False

    def __init__(self, source: PretrainedSource, config: Any, outputs: int) -> None:
        # for models with a decoder, such as T5, only the encoder
        super().__init__(read_model(AutoModelForTextEncoding if config.is_encoder_decoder else AutoModel, source, config))
        width = config.hidden_size
        self.attention = nn.Linear(width, 1)
        self.dropout = FastDropout(getattr(config, "hidden_dropout_prob", None) or 0.1)
        self.classifier = nn.Linear(width * (3 if self.with_first else 2), outputs)
        for layer in (self.attention, self.classifier):
            nn.init.normal_(layer.weight, std=getattr(config, "initializer_range", 0.02))
            nn.init.zeros_(layer.bias)

    def forward(self, batch: Batch) -> Tensor:
        spans = batch.spans
        inside = [within(spans[:, 0], spans[:, 1], batch), within(spans[:, 2], spans[:, 3], batch)]
        read = inside[0] | inside[1]
        read[:, 0] = True
        with self.reading(batch, read.flatten().nonzero()[:, 0]):
            states = self.model(**batch.inputs(self.model)).last_hidden_state
        parts = [self.pooled(states, places) for places in inside]
        if self.with_first:
            parts.insert(0, states[:, 0])
        return self.classifier(self.dropout(torch.cat(parts, dim=-1)))

    def pooled(self, states: Tensor, inside: Tensor) -> Tensor:
        weights = self.attention(states).squeeze(-1).masked_fill(~inside, float("-inf")).softmax(dim=-1)
        return (weights[:, None] @ states).squeeze(1)


def within(start: Tensor, end: Tensor, batch: Batch) -> Tensor:
    """Return a mask of each row's places from its start to before its end."""
    places = torch.arange(batch.ids.shape[1], device=batch.ids.device)
    return (places >= start[:, None]) & (places < end[:, None])


class SpanAndFirstNet(SpanNet):
    """Net for two marked words, each the mean of its pieces, beside the first token."""

    with_first = True

    def __init__(self, source: PretrainedSource, config: Any, outputs: int) -> None:
        super().__init__(source, config, outputs)
        nn.init.zeros_(self.attention.weight)  # the same weight for every piece, and no gradient that would change it
        self.attention.requires_grad_(requires_grad=False)


NETS: dict[str, Any] = {
    "sequence": SequenceNet,
    "tokens": TokenNet,
    "answer": make_answer_net,
    "spans": SpanNet,
    "spans-and-first": SpanAndFirstNet,
}
"""Nets by the names used in task formats."""
