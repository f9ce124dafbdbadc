"""Texts as a tokenizer's pieces with their places, and rows of pieces with the special tokens around them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gluepot.models import CannotSolve

Ids = NDArray[np.int32]
AT_ONCE = 10_000
LONGEST = 512
"""Maximum pieces in a row where neither tokenizer nor model declares one."""


@dataclass(frozen=True)
class TokenizedText:
    """A text in pieces; `places` holds the characters that each one covers, and is empty where the tokenizer has no offsets."""

    ids: Ids
    places: Ids

    def __len__(self) -> int:
        return len(self.ids)

    def covering(self, start: int, end: int) -> tuple[int, int]:
        """Return the pieces that cover some characters: first and one past the last; the nearest piece where none does."""
        touching = np.flatnonzero((self.places[:, 0] < end) & (self.places[:, 1] > start))
        if len(touching):
            return int(touching[0]), int(touching[-1]) + 1
        if not len(self.ids):
            return 0, 0
        nearest = int(np.abs(self.places.mean(axis=1) - (start + end) / 2).argmin())
        return nearest, nearest + 1

    def only(self, kept: NDArray[Any]) -> "TokenizedText":
        return TokenizedText(self.ids[kept], self.places[kept] if len(self.places) else self.places)


@dataclass(frozen=True)
class Template:
    """The special tokens before, between and after, with their types."""

    before: list[int]
    between: list[int]
    after: list[int]
    types: tuple[list[int], int, list[int], int, list[int]]

    @property
    def size(self) -> int:
        return len(self.before) + len(self.between) + len(self.after)


@dataclass(frozen=True)
class TokenizedRow:
    """A row of the model's input; `first` and `second` are the places where the texts begin."""

    ids: Ids
    types: Ids
    first: int
    second: int


class Tokenization:
    """Uniform interface to any tokenizer: the pieces of texts, how many fit, and how they are joined."""

    def __init__(self, tokenizer: Any, max_length: int) -> None:
        self.tokenizer, self.max_length = tokenizer, max_length
        self.fast = bool(tokenizer.is_fast)
        self.unknown = next(i for i in (tokenizer.unk_token_id, tokenizer.pad_token_id, tokenizer.eos_token_id, 0) if i is not None)
        self.single, self.pair = self._template(("a",)), self._template(("a", "b"))

    def _template(self, probe: tuple[str, ...]) -> Template:
        """Derive the special tokens around texts from a probe: templates come in too many forms to be parsed."""
        found = self.tokenizer(*probe, return_special_tokens_mask=True, return_token_type_ids=True)
        ids, types, special = found["input_ids"], found.get("token_type_ids"), found["special_tokens_mask"]
        types = types or [0] * len(ids)
        edges = [place for place, flag in enumerate(special) if not flag]
        gaps = [place for place in range(edges[0], edges[-1]) if special[place]]
        first_end = gaps[0] if gaps else edges[-1] + 1 if len(probe) == 1 else edges[0] + 1
        second = gaps[-1] + 1 if gaps else first_end
        end = edges[-1] + 1
        return Template(
            before=ids[: edges[0]],
            between=ids[first_end:second],
            after=ids[end:],
            types=(types[: edges[0]], types[edges[0]], types[first_end:second], types[second] if len(probe) > 1 else 0, types[end:]),
        )

    def room(self, *, pair: bool) -> int:
        """Return the number of pieces of text that fit into a row."""
        return self.max_length - (self.pair if pair else self.single).size

    def need_places(self, what: str) -> None:
        if not self.fast:
            name = type(self.tokenizer).__name__
            raise CannotSolve(f"encoder: {what} needs to know which pieces a word becomes, and {name} is no fast tokenizer.")

    def read(self, texts: Sequence[str]) -> dict[str, TokenizedText]:
        """Return the pieces of each distinct text."""
        different = list(dict.fromkeys(texts))
        found: dict[str, TokenizedText] = {}
        for start in range(0, len(different), AT_ONCE):
            part = different[start : start + AT_ONCE]
            encoded = self.tokenizer(part, add_special_tokens=False, return_offsets_mapping=self.fast, verbose=False)
            places = encoded["offset_mapping"] if self.fast else [()] * len(part)
            for text, ids, where in zip(part, encoded["input_ids"], places, strict=True):
                found[text] = TokenizedText(np.array(ids, np.int32), np.array(where, np.int32).reshape(-1, 2))
        return found

    def read_words(self, words: Sequence[str]) -> tuple[Ids, Ids]:
        """Return the pieces of words and the number of each piece's word; a word that the tokenizer drops becomes an unknown one."""
        text = " ".join(words)
        sizes = np.array([len(word) for word in words])
        starts = np.concatenate([[0], np.cumsum(sizes + 1)[:-1]])
        read = self.read([text])[text]
        last = read.places[:, 1] - 1  # a piece may begin with the space before its word
        owners = np.maximum(np.searchsorted(starts, last, side="right") - 1, 0)
        owners = np.minimum(owners + (last >= (starts + sizes)[owners]), len(words) - 1)
        owners = np.maximum.accumulate(owners)
        lost = np.setdiff1d(np.arange(len(words)), owners)
        places = np.searchsorted(owners, lost)
        return np.insert(read.ids, places, self.unknown), np.insert(owners, places, lost).astype(np.int32)

    def join(self, first: Ids, second: Ids | None = None) -> TokenizedRow:
        """Build a row from one or two texts that fit."""
        template = self.single if second is None else self.pair
        other = np.array([], np.int32) if second is None else second
        parts = [template.before, first, template.between, other, template.after]
        kinds = template.types
        types = [kinds[0], [kinds[1]] * len(first), kinds[2], [kinds[3]] * len(other), kinds[4]]
        begin = len(template.before)
        return TokenizedRow(
            np.concatenate([np.asarray(part, np.int32) for part in parts]),
            np.concatenate([np.asarray(part, np.int32) for part in types]),
            begin,
            begin + len(first) + len(template.between),
        )
