"""Unpacked passes for models that cannot keep the texts of one pass apart: each text is a row of its own, as in transformers.

Recurrent and convolutional layers carry state from token to token regardless of a mask; others infer positions from the mask's shape.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from gluepot.models.last_layer import body_of
from gluepot.models.pretrained.devices import input_device

if TYPE_CHECKING:
    from gluepot.models.lm.inference.packing import Layout

TOGETHER = 1024
"""Tokens of the rows, padding included, that are run at a time."""
MEMORIES = ("past_key_values", "cache_params")
"""A model's memory of a text, by the attribute names of its families."""
Text = tuple[int, int]
"""A group, and the owner of its end."""


class SeparateTexts:
    """States at places of a layout, as a packed pass returns them, from whole texts."""

    def __init__(self, model: Any) -> None:
        self.model, self.device = model, input_device(model)
        self.memories: dict[Text, dict[str, Any]] = {}
        """Memories of texts that go on."""

    def run(self, prefix: Sequence[int], layout: "Layout", places: Sequence[int], done: int = 0, *, goes_on: bool = False) -> Any:
        """Return the last states at some places; for texts that go on, tokens before `done` are remembered."""
        import torch

        self.memories = self.memories if done else {}
        wanted: dict[Text, list[int]] = {}
        for place in places:
            wanted.setdefault((layout.groups[place], layout.owners[place]), []).append(place)
        rows = {text: places_of(layout, text) for text in wanted}
        found: dict[int, Any] = {}
        for texts in [[text] for text in rows] if goes_on else _batches(rows, len(prefix)):
            own = [rows[text] for text in texts]
            states = self._continued(prefix, layout, texts[0], own[0], done) if goes_on else self._whole(prefix, layout, own)
            for number, row in enumerate(own):
                begin = states.shape[1] - len(row) if goes_on else len(prefix)
                found |= {place: states[number, begin + row.index(place)] for place in wanted[texts[number]]}
        return torch.stack([found[place] for place in places])

    def _whole(self, prefix: Sequence[int], layout: "Layout", rows: Sequence[Sequence[int]]) -> Any:
        """Run whole texts with right padding, which no causal model attends to."""
        import torch

        ids = [[*prefix, *(layout.ids[place] for place in row)] for row in rows]
        width = max(map(len, ids))
        padded = torch.tensor([own + [0] * (width - len(own)) for own in ids], device=self.device)
        return body_of(self.model)(input_ids=padded, use_cache=False).last_hidden_state

    def _continued(self, prefix: Sequence[int], layout: "Layout", text: Text, row: Sequence[int], done: int) -> Any:
        import torch

        memory = self.memories.get(text) or {}
        ids = [layout.ids[place] for place in row if place >= done] if memory else [*prefix, *(layout.ids[place] for place in row)]
        found = body_of(self.model)(input_ids=torch.tensor([ids], device=self.device), use_cache=True, **memory)
        self.memories[text] = {name: kept for name in MEMORIES if (kept := getattr(found, name, None)) is not None}
        return found.last_hidden_state


def places_of(layout: "Layout", text: Text) -> list[int]:
    """Return the places of a text's tokens: those common to its group, and its own."""
    from gluepot.models.lm.inference.packing import COMMON

    group, owner = text
    whose = zip(layout.groups, layout.owners, strict=True)
    return [place for place, (of, own) in enumerate(whose) if of == group and own in (COMMON, owner)]


def _batches(rows: dict[Text, list[int]], prefix: int) -> Iterator[list[Text]]:
    """Yield batches sorted by decreasing length, so that there is hardly any padding."""
    batch: list[Text] = []
    for text in sorted(rows, key=lambda one: -len(rows[one])):
        if batch and (prefix + len(rows[batch[0]])) * (len(batch) + 1) > TOGETHER:
            yield batch
            batch = []
        batch.append(text)
    yield batch
