"""How word vectors are trained: all that decides what becomes of a corpus, but for the corpus."""

from typing import Literal

from msgspec import Struct

from gluepot.errors import WrongUse

GIB = 1024**3
NUMBER = 4
"""Bytes of a number."""
EPOCH, PAIRS = "epoch.npz", "pairs.npz"
"""In the folder of a training: what its last whole epoch left, and how often words meet."""
MODELS = ("word2vec", "fasttext", "glove")


class VectorRecipe(Struct, frozen=True, kw_only=True):
    """Defaults are those of gensim."""

    model: Literal["word2vec", "fasttext", "glove"]
    skip_gram: bool = False
    """Whether words predict their neighbours; else neighbours predict the word (CBOW)."""
    dimensions: int = 100
    window: int = 5
    epochs: int = 5
    min_count: int = 5
    subwords: tuple[int, int] = (3, 6)
    """Letters of the shortest and the longest subwords of fastText."""
    buckets: int = 2_000_000
    """Vectors that the subwords share."""
    vocabulary: int = 1_000_000
    """Words at most, the most frequent ones."""
    cased: bool = False
    seed: int = 0
    workers: int = 1
    """Threads; only with one of them is a training repeatable to the bit."""
    memory: float = 4.0
    """GiB that vectors and counts may take."""

    @property
    def most_words(self) -> int:
        """As many words as the memory has room for: two vectors each, with their squared gradients for GloVe."""
        vectors = {"word2vec": 2, "fasttext": 3, "glove": 4}[self.model]
        room = self.memory * GIB - (self.buckets * self.dimensions * NUMBER if self.model == "fasttext" else 0)
        words = int(room / (vectors * self.dimensions * NUMBER))
        if words < 1:
            need = self.buckets * self.dimensions * NUMBER / GIB
            raise WrongUse(f"--memory {self.memory:g}: subwords alone take {need:.1f} GiB. Take fewer --buckets, or --dimensions.")
        return min(self.vocabulary, words)
