"""Training recipe of word vectors: all settings that determine the result for a corpus."""

from typing import Literal

from msgspec import Struct

from gluepot.errors import WrongUse

GIB = 1024**3
NUMBER = 4
"""Bytes per number."""
EPOCH, PAIRS = "epoch.npz", "pairs.npz"
"""Files in the training folder: the checkpoint of the last complete epoch, and the co-occurrence counts."""
MODELS = ("word2vec", "fasttext", "glove")


class VectorRecipe(Struct, frozen=True, kw_only=True):
    """Training recipe, with gensim's defaults."""

    model: Literal["word2vec", "fasttext", "glove"]
    skip_gram: bool = False
    """Whether words predict their neighbours; otherwise neighbours predict the word (CBOW)."""
    dimensions: int = 100
    window: int = 5
    epochs: int = 5
    min_count: int = 5
    subwords: tuple[int, int] = (3, 6)
    """Minimum and maximum length of fastText's subwords."""
    buckets: int = 2_000_000
    """Number of vectors shared by the subwords."""
    vocabulary: int = 1_000_000
    """Maximum vocabulary size, by frequency."""
    cased: bool = False
    seed: int = 0
    workers: int = 1
    """Threads; training is bit-reproducible only with one."""
    memory: float = 4.0
    """Memory limit of vectors and counts in GiB."""

    @property
    def most_words(self) -> int:
        """Vocabulary size that fits into memory: two vectors per word, three for fastText, and squared gradients for GloVe."""
        vectors = {"word2vec": 2, "fasttext": 3, "glove": 4}[self.model]
        room = self.memory * GIB - (self.buckets * self.dimensions * NUMBER if self.model == "fasttext" else 0)
        words = int(room / (vectors * self.dimensions * NUMBER))
        if words < 1:
            need = self.buckets * self.dimensions * NUMBER / GIB
            raise WrongUse(f"--memory {self.memory:g}: subwords alone take {need:.1f} GiB. Take fewer --buckets, or --dimensions.")
        return min(self.vocabulary, words)
