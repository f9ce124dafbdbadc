"""GloVe: word and context vectors whose dot products approximate log co-occurrence counts, trained by AdaGrad on the observed pairs.

The objective and the settings are the authors' (Pennington et al. 2014). Steps are made for blocks of pairs, with the gradients of a
word summed by a sparse product; this needs no compiler, and gives identical bytes on every run.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gluepot.errors import GluepotError
from gluepot.models.embeddings.training.cooccurrences import Pairs, count_pairs
from gluepot.models.embeddings.training.corpus import TokenizedCorpus
from gluepot.models.embeddings.training.recipe import EPOCH, PAIRS, VectorRecipe

if TYPE_CHECKING:
    from gluepot.models.embeddings.training import Say

Floats = NDArray[np.float32]
RATE, FULL_WEIGHT, POWER = 0.05, 10.0, 0.75
"""Learning rate, count from which a pair has full weight, and exponent of the weights below, as in the authors' program."""
BLOCK = 1 << 15


def train_glove(recipe: VectorRecipe, corpus: TokenizedCorpus, work: Path, to: Path, say: "Say") -> int:
    """Train, write the file in word2vec's binary format, and return its number of words."""
    words = frequent_words(corpus.path(work), recipe)
    pairs = _pairs(recipe, corpus, work, words, say)
    net = GloveNet(len(words), recipe)
    for epoch in range(net.restore(work / EPOCH), recipe.epochs):
        start = perf_counter()
        loss = net.run_epoch(pairs, epoch)
        net.keep(work / EPOCH, epoch + 1)
        say(f"epoch {epoch + 1} of {recipe.epochs}: loss {loss:.4f}, pairs a second: {len(pairs.values) / (perf_counter() - start):,.0f}")
    write_word2vec(to, words, net.vectors)
    return len(words)


def frequent_words(path: Path, recipe: VectorRecipe) -> list[str]:
    """Return the vocabulary by descending frequency, then alphabetically."""
    counts = Counter(word for line in _lines(path) for word in line)
    kept = sorted(((-count, word) for word, count in counts.items() if count >= recipe.min_count))[: recipe.most_words]
    if not kept:
        raise GluepotError(f"no word comes {recipe.min_count} times: take a larger corpus, or a smaller --min-count.")
    return [word for _, word in kept]


def _pairs(recipe: VectorRecipe, corpus: TokenizedCorpus, work: Path, words: list[str], say: "Say") -> Pairs:
    path = work / PAIRS
    if path.is_file():
        return Pairs.read(path)
    ids = {word: number for number, word in enumerate(words)}
    sentences = (np.array([ids[word] for word in line if word in ids], np.int64) for line in _lines(corpus.path(work)))
    pairs = count_pairs(sentences, len(words), recipe.window, recipe.memory, say)
    pairs.save(path)
    return pairs


def _lines(path: Path) -> Iterator[list[str]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield line.split()


class GloveNet:
    """Vectors and biases of words and contexts, with their accumulated squared gradients."""

    def __init__(self, words: int, recipe: VectorRecipe) -> None:
        rng = np.random.default_rng(recipe.seed)
        shape, self.seed = (words, recipe.dimensions + 1), recipe.seed
        self.sides: list[Floats] = [(rng.random(shape, np.float32) - np.float32(0.5)) / np.float32(recipe.dimensions) for _ in range(2)]
        self.squares: list[Floats] = [np.ones(shape, np.float32) for _ in range(2)]

    @property
    def vectors(self) -> Floats:
        """Sum of word and context vectors, without the biases."""
        total: Floats = (self.sides[0] + self.sides[1])[:, :-1]
        return total

    def run_epoch(self, pairs: Pairs, epoch: int) -> float:
        """Process all pairs once, in an order that depends on the seed and the epoch only, and return the mean weighted loss."""
        order = np.random.default_rng([self.seed, epoch]).permutation(len(pairs.values))
        weights: Floats = np.minimum(1.0, (pairs.values / FULL_WEIGHT) ** POWER).astype(np.float32)
        logs: Floats = np.log(pairs.values).astype(np.float32)
        total = 0.0
        for start in range(0, len(order), BLOCK):
            block = order[start : start + BLOCK]
            total += self._step(pairs.words[block], pairs.contexts[block], weights[block], logs[block])
        return total / max(1, len(order))

    def _step(self, words: Any, contexts: Any, weights: Floats, logs: Floats) -> float:
        rows = [self.sides[0][words], self.sides[1][contexts]]
        biases = [own[:, -1].copy() for own in rows]
        error = np.einsum("ij,ij->i", rows[0][:, :-1], rows[1][:, :-1]) + biases[0] + biases[1] - logs
        slope = (weights * error)[:, None]
        for own in rows:
            own[:, -1] = 1.0  # the input that a bias is multiplied by
        for side, (ids, other) in enumerate(((words, rows[1]), (contexts, rows[0]))):
            self._descend(side, ids, slope * other)
        return float(0.5 * (weights * error**2).sum())

    def _descend(self, side: int, ids: Any, gradients: Floats) -> None:
        """Apply one step of AdaGrad to the words of a block, on the sum of each word's gradients."""
        from scipy.sparse import csr_array

        unique, places = np.unique(ids, return_inverse=True)
        sums = csr_array((np.ones(len(ids), np.float32), (places, np.arange(len(ids)))), (len(unique), len(ids))) @ gradients
        squares = self.squares[side][unique] + sums**2
        self.squares[side][unique] = squares
        self.sides[side][unique] -= RATE * sums / np.sqrt(squares)

    def keep(self, path: Path, epochs: int) -> None:
        draft = path.with_name(f".{path.name}")
        arrays = {f"{name}{side}": getattr(self, name)[side] for name in ("sides", "squares") for side in (0, 1)}
        np.savez(draft, epochs=np.array(epochs), **arrays)
        draft.replace(path)

    def restore(self, path: Path) -> int:
        """Restore the state and return the number of completed epochs."""
        if not path.is_file():
            return 0
        with np.load(path, allow_pickle=False) as kept:
            for name in ("sides", "squares"):
                setattr(self, name, [kept[f"{name}{side}"] for side in (0, 1)])
            return int(kept["epochs"])


def write_word2vec(to: Path, words: list[str], vectors: Floats) -> None:
    """Write word2vec's binary format atomically."""
    draft = to.with_name(f".{to.name}")
    with draft.open("wb") as file:
        file.write(f"{len(words)} {vectors.shape[1]}\n".encode())
        for word, vector in zip(words, vectors.astype("<f4"), strict=True):
            file.write(word.encode() + b" " + vector.tobytes() + b"\n")
    draft.replace(to)
