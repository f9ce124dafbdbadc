"""Reader of gensim's own files (`KeyedVectors.save`, `Word2Vec.save`, `FastText.save`).

Such a file is a Python pickle: loading it executes the code that it contains. It is opened only if the user trusts it.
"""

import pickle
from pathlib import Path
from typing import Any

import numpy as np

from gluepot.errors import DataMissing, WrongUse
from gluepot.models.embeddings import Embeddings, Floats

CONVERT = "KeyedVectors.load({old!r}).save_word2vec_format({new!r}, binary=True)"


def refusal(path: Path) -> str:
    """Return the error message for an untrusted pickle, with the two alternatives."""
    statement = CONVERT.format(old=path.name, new=f"{path.stem}.bin")
    return (
        f"{path.name}: is a Python pickle (as gensim saves), and opening one runs whatever code is in it. Ask whoever made it for "
        f'word2vec format, which is plain data:\n  python -c "from gensim.models import KeyedVectors; {statement}"\n'
        "or, if you trust it, add --trust-pickle."
    )


class GensimEmbeddings(Embeddings):
    """Vectors in gensim, which also composes those of unknown words if the model has subwords."""

    def __init__(self, vectors: Any) -> None:
        super().__init__(list(map(str, vectors.index_to_key)), np.asarray(vectors.vectors))
        self._vectors = vectors

    def guess(self, word: str) -> Floats | None:
        if word not in self._vectors:
            return None
        made: Floats = self._vectors.get_vector(word)
        return made if made.any() else None


def open_keyed(path: Path, *, trusted: bool) -> GensimEmbeddings:
    """Open the vectors of a gensim file, with its separate arrays memory-mapped."""
    if not trusted:
        raise WrongUse(refusal(path))
    try:
        from gensim.models import KeyedVectors
    except ImportError as error:
        raise WrongUse(f"{path.name}: a file of gensim's needs gensim: pip install gensim.") from error
    try:
        found = KeyedVectors.load(str(path), mmap="r")
    except FileNotFoundError as error:
        raise DataMissing(f"{path.name}: its file {Path(error.filename).name} must lie beside it.") from error
    except (pickle.UnpicklingError, AttributeError, EOFError, ImportError, TypeError, ValueError) as error:
        raise WrongUse(f"{path.name}: gensim cannot load this ({error}); is it whole and from gensim?") from error
    vectors = getattr(found, "wv", found)
    if not hasattr(vectors, "index_to_key") or not len(vectors.index_to_key):
        raise WrongUse(f"{path.name}: gensim loaded a {type(found).__name__}, which holds no word vectors.")
    return GensimEmbeddings(vectors)
