"""Tasks that word vectors solve without training: word similarity, nearest candidate, analogies.

Each function returns one answer per item, None if its words are unknown.
"""

from collections.abc import Sequence

import numpy as np

from gluepot.answers import NUMBER
from gluepot.models.embeddings import Embeddings, Floats
from gluepot.models.embeddings.analogies import Questions, solve
from gluepot.models.embeddings.averages import average, cosine, expression
from gluepot.records import Example, Task

GAP = "@placeholder"
"""Placeholder of the missing entity in a query."""


def rate_pairs(embeddings: Embeddings, task: Task, examples: Sequence[Example]) -> list[float | None]:
    """Return cosines mapped to the task's scale: 0 to its lowest and 1 to its highest value.

    A negative cosine falls below the scale, and is not clipped where the task allows it: clipping creates ties, which affect a rank
    correlation. The remark that cosines overestimate similarity fits this scaling better than −1 as the lowest
    value would.
    """
    low, high = task.scale or (0.0, 1.0)
    pairs = ((expression(embeddings, e.inputs["first"]), expression(embeddings, e.inputs["second"])) for e in examples)
    return [None if (near := cosine(*pair)) is None else NUMBER.on_scale(task, low + near * (high - low)) for pair in pairs]


def choose(embeddings: Embeddings, task: Task, examples: Sequence[Example]) -> list[int | None]:
    """Return the candidates nearest to the texts."""
    return [_nearest(expression(embeddings, e.inputs["text"]), [expression(embeddings, o) for o in e.inputs["options"]]) for e in examples]


def fill_gaps(embeddings: Embeddings, task: Task, examples: Sequence[Example]) -> list[str | None]:
    """Return the entities whose filled-in queries are nearest to the passages."""
    answers = []
    for example in examples:
        options, query = example.inputs["options"], example.inputs["text"]
        filled = [average(embeddings, query.replace(GAP, option)) for option in options]
        place = _nearest(average(embeddings, example.inputs["context"]), filled)
        answers.append(None if place is None else options[place])
    return answers


def complete(embeddings: Embeddings, task: Task, examples: Sequence[Example]) -> list[str | None]:
    """Return the words that are to c as b is to a, from the whole vocabulary, in one batch."""
    triples = [tuple(example.inputs[role] for role in "abc") for example in examples]
    vectors = {word: expression(embeddings, word) for triple in triples for word in triple}
    known = [number for number, triple in enumerate(triples) if all(_has_direction(vectors[word]) for word in triple)]
    answers: list[str | None] = [None] * len(triples)
    if known:
        rows = solve(embeddings.matrix, _questions(embeddings, vectors, [triples[number] for number in known]))
        for number, row in zip(known, rows.tolist(), strict=True):
            answers[number] = _spelled(embeddings, row, triples[number][1]) if row >= 0 else None
    return answers


def _questions(embeddings: Embeddings, vectors: dict[str, Floats | None], triples: Sequence[tuple[str, ...]]) -> Questions:
    words = sorted({word for triple in triples for word in triple})
    places = {word: place for place, word in enumerate(words)}
    rows = [-1 if (row := embeddings.row(word)) is None else row for word in words]
    roles = np.array([[places[word] for word in triple] for triple in triples], np.int64).T
    return Questions(np.array([vectors[word] for word in words], np.float32), np.array(rows, np.int64), np.ascontiguousarray(roles))


def _spelled(embeddings: Embeddings, row: int, example: str) -> str:
    """Return the word of a row, capitalised if b is and the vocabulary has b only in lower case."""
    word = embeddings.words[row]
    found = embeddings.row(example)
    folded = found is not None and embeddings.words[found] != example
    return word[:1].upper() + word[1:] if folded and example[:1].isupper() else word


def _nearest(wanted: Floats | None, vectors: Sequence[Floats | None]) -> int | None:
    near = [cosine(wanted, vector) for vector in vectors]
    known = [place for place, value in enumerate(near) if value is not None]
    return max(known, key=lambda place: near[place] or 0.0) if known else None


def _has_direction(vector: Floats | None) -> bool:
    return vector is not None and bool(vector.any())
