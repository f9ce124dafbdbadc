"""word2vec and fastText by gensim, one epoch at a time, with a checkpoint after each epoch to resume from."""

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from gluepot.errors import GluepotError
from gluepot.models.embeddings.training.corpus import TokenizedCorpus
from gluepot.models.embeddings.training.recipe import EPOCH, VectorRecipe

if TYPE_CHECKING:
    from gluepot.models.embeddings.training import Say

FIRST_RATE, LAST_RATE = 0.025, 0.0001
"""gensim's defaults, decreasing linearly over all epochs."""


def train_predictive(recipe: VectorRecipe, corpus: TokenizedCorpus, work: Path, to: Path, say: "Say") -> int:
    """Train, write the file, and return its number of words."""
    model = make_model(recipe, corpus, work)
    done = _restore(model, work / EPOCH)
    for epoch in range(done, recipe.epochs):
        start = perf_counter()
        run_epoch(model, recipe, corpus.path(work), epoch)
        _keep(model, work / EPOCH, epoch + 1)
        say(f"epoch {epoch + 1} of {recipe.epochs}: words a second: {corpus.tokens / (perf_counter() - start):,.0f}")
    _write(model, recipe, to)
    return len(model.wv)


def make_model(recipe: VectorRecipe, corpus: TokenizedCorpus, work: Path) -> Any:
    """Return a new model with its vocabulary, deterministic for a recipe and corpus."""
    from gensim.models import FastText, Word2Vec

    settings: dict[str, Any] = {
        "vector_size": recipe.dimensions,
        "window": recipe.window,
        "min_count": recipe.min_count,
        "max_final_vocab": recipe.most_words,
        "sg": int(recipe.skip_gram),
        "seed": recipe.seed,
        "workers": recipe.workers,
        "epochs": recipe.epochs,
        "alpha": FIRST_RATE,
        "min_alpha": LAST_RATE,
    }
    subwords = {"min_n": recipe.subwords[0], "max_n": recipe.subwords[1], "bucket": recipe.buckets}
    model = FastText(**settings, **subwords) if recipe.model == "fasttext" else Word2Vec(**settings)
    try:
        model.build_vocab(corpus_file=str(corpus.path(work)))
    except RuntimeError as error:
        raise GluepotError(f"no word comes {recipe.min_count} times: take a larger corpus, or a smaller --min-count.") from error
    if not len(model.wv):
        raise GluepotError(f"no word comes {recipe.min_count} times: take a larger corpus, or a smaller --min-count.")
    return model


def run_epoch(model: Any, recipe: VectorRecipe, path: Path, epoch: int) -> None:
    """Run gensim's training loop for one epoch, at this epoch's share of the learning rate schedule."""
    fall = (FIRST_RATE - LAST_RATE) / recipe.epochs
    model.train(
        corpus_file=str(path),
        total_words=model.corpus_total_words,
        total_examples=model.corpus_count,
        epochs=1,
        start_alpha=FIRST_RATE - fall * epoch,
        end_alpha=FIRST_RATE - fall * (epoch + 1),
    )


def _arrays(model: Any) -> dict[str, Any]:
    """Return the arrays that an epoch changes, by their names in the checkpoint."""
    found = {"output": model.syn1neg}
    if hasattr(model.wv, "vectors_ngrams"):
        return found | {"words": model.wv.vectors_vocab, "subwords": model.wv.vectors_ngrams, "sums": model.wv.vectors}
    return found | {"words": model.wv.vectors}


def _keep(model: Any, path: Path, epochs: int) -> None:
    _, keys, place, has_gauss, gauss = model.random.get_state()
    state = {"epochs": np.array(epochs), "keys": keys, "place": np.array([place, has_gauss]), "gauss": np.array(gauss)}
    draft = path.with_name(f".{path.name}")
    np.savez(draft, **state, **_arrays(model))
    draft.replace(path)


def _restore(model: Any, path: Path) -> int:
    """Restore the checkpoint and return the number of completed epochs."""
    if not path.is_file():
        return 0
    with np.load(path, allow_pickle=False) as kept:
        for name, array in _arrays(model).items():
            array[:] = kept[name]
        place, has_gauss = kept["place"].tolist()
        model.random.set_state(("MT19937", kept["keys"], place, has_gauss, float(kept["gauss"])))
        return int(kept["epochs"])


def _write(model: Any, recipe: VectorRecipe, to: Path) -> None:
    """Write fastText in its authors' format, which includes subwords; word2vec in its binary format."""
    draft = to.with_name(f".{to.name}")
    if recipe.model == "fasttext":
        from gensim.models.fasttext import save_facebook_model

        save_facebook_model(model, str(draft))
    else:
        model.wv.save_word2vec_format(str(draft), binary=True)
    draft.replace(to)
