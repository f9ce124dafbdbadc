"""Features of an item for linear models: averaged vectors, and contrasts between two of them.

Each task kind has one row per item, except token labelling (one per token) and multi-choice (one per option).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from gluepot.models.embeddings import Embeddings, Floats
from gluepot.models.embeddings.averages import average, cosine, expression

WINDOW = 2
"""Context tokens on either side of the labelled one."""


class VectorLookup:
    """Vector lookup for an item, which records whether any of its words is known."""

    def __init__(self, embeddings: Embeddings) -> None:
        self.embeddings = embeddings
        self.knows = False

    def text(self, text: str) -> Floats:
        return self._known(average(self.embeddings, text))

    def word(self, text: str) -> Floats:
        return self._known(expression(self.embeddings, text))

    def _known(self, vector: Floats | None) -> Floats:
        self.knows = self.knows or vector is not None
        return np.zeros(self.embeddings.dimensions, np.float32) if vector is None else vector


def contrast(first: Floats, second: Floats) -> Floats:
    """Return the contrast of two vectors: |difference|, product and cosine."""
    return np.concatenate((np.abs(first - second), first * second, [cosine(first, second) or 0.0]), dtype=np.float32)


def _classification(sight: VectorLookup, inputs: dict[str, Any]) -> Floats:
    return sight.text(inputs["text"])[None]


def _pair(sight: VectorLookup, inputs: dict[str, Any]) -> Floats:
    first, second = sight.text(inputs["text"]), sight.text(inputs["pair"])
    return np.concatenate((first, second, contrast(first, second)))[None]


def _regression(sight: VectorLookup, inputs: dict[str, Any]) -> Floats:
    return _pair(sight, inputs) if inputs.get("pair") is not None else _classification(sight, inputs)


def _word_in_context(sight: VectorLookup, inputs: dict[str, Any]) -> Floats:
    """Contrast the marked words, and the texts around them."""
    words, around = [], []
    for text, start, end in (("text", "start", "end"), ("pair", "pair-start", "pair-end")):
        whole = inputs[text]
        words.append(sight.word(whole[inputs[start] : inputs[end]]))
        around.append(sight.text(f"{whole[: inputs[start]]} {whole[inputs[end] :]}"))
    return np.concatenate((contrast(*words), contrast(*around)))[None]


def _coreference(sight: VectorLookup, inputs: dict[str, Any]) -> Floats:
    first, second = sight.word(inputs["first"]), sight.word(inputs["second"])
    return np.concatenate((first, second, contrast(first, second), sight.text(inputs["text"])))[None]


def _multi_choice(sight: VectorLookup, inputs: dict[str, Any]) -> Floats:
    """Contrast each option with the question and with the passage."""
    question, passage = sight.text(inputs["text"]), sight.text(inputs["context"])
    options = [sight.text(option) for option in inputs["options"]]
    rows = [np.concatenate((option, contrast(question, option), contrast(passage, option))) for option in options]
    return np.array(rows, np.float32) if rows else np.empty((0, 0), np.float32)


def _token_labelling(sight: VectorLookup, inputs: dict[str, Any]) -> Floats:
    """Return the vectors and shapes of each token and its neighbours, padded with zeros."""
    seen = [np.concatenate((sight.word(token), shape(token))) for token in inputs["tokens"]]
    width = sight.embeddings.dimensions + len(shape(""))
    padded = np.zeros((len(seen) + 2 * WINDOW, width), np.float32)
    padded[WINDOW : WINDOW + len(seen)] = np.array(seen, np.float32).reshape(-1, width)
    return np.hstack([padded[shift : shift + len(seen)] for shift in range(2 * WINDOW + 1)])


def shape(token: str) -> list[float]:
    """Return the shape of a token: present, title case, upper case, with a digit.

    >>> shape("EU-2020")
    [1.0, 1.0, 1.0, 1.0]
    """
    return [1.0, float(token[:1].isupper()), float(token.isupper()), float(any(map(str.isdigit, token)))]


FEATURES: dict[str, Callable[[VectorLookup, dict[str, Any]], Floats]] = {
    "classification": _classification,
    "pair-classification": _pair,
    "regression": _regression,
    "word-in-context": _word_in_context,
    "coreference": _coreference,
    "multi-choice": _multi_choice,
    "token-labelling": _token_labelling,
}
