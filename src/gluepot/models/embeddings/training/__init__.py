"""Word vectors trained here: from texts to a file that `vectors:` evaluates, with a manifest beside it."""

from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from shutil import rmtree
from time import perf_counter

from msgspec import Struct, json
from msgspec.structs import replace

from gluepot import __version__
from gluepot.errors import GluepotError, WrongUse
from gluepot.files import write_whole
from gluepot.models.embeddings.training.corpus import TokenizedCorpus, tokenize
from gluepot.models.embeddings.training.recipe import VectorRecipe

Say = Callable[[str], None]
"""Takes a line about how far the training is."""


class TrainedVectors(Struct, frozen=True, kw_only=True):
    """The manifest of a file of word vectors: all that it came from."""

    file: str
    recipe: VectorRecipe
    corpus: TokenizedCorpus
    words: int
    """Of the vocabulary."""
    seconds: float
    """Of this start; a training that was interrupted took more."""
    versions: dict[str, str]
    command: list[str] = []
    kind: str = "gluepot-vectors"


def train_vectors(recipe: VectorRecipe, texts: Sequence[str], to: Path, say: Say, command: Sequence[str] = ()) -> TrainedVectors:
    """Train by a recipe and write the vectors to a file; a training that was stopped goes on after its last whole epoch."""
    if to.exists():
        raise WrongUse(f"{to}: is there already. Choose another --to, or delete it.")
    start, work = perf_counter(), to.with_name(f"{to.name}.work")
    work.mkdir(parents=True, exist_ok=True)
    _check_recipe(recipe, work)
    corpus = tokenize(texts, work, cased=recipe.cased, say=say)
    if not corpus.tokens:
        rmtree(work)
        raise GluepotError(f"{', '.join(texts)}: no words in it.")
    words = _trainer(recipe)(recipe, corpus, work, to, say)
    trained = TrainedVectors(
        file=to.name,
        recipe=recipe,
        corpus=replace(corpus, stamps=[]),  # paths do not leave the machine
        words=words,
        seconds=round(perf_counter() - start, 2),
        versions=_versions(recipe),
        command=list(command),
    )
    write_whole(to.with_name(f"{to.name}.json"), json.format(json.encode(trained), indent=2) + b"\n")
    rmtree(work)
    return trained


def _check_recipe(recipe: VectorRecipe, work: Path) -> None:
    """What lies there of an earlier start must be of the same recipe."""
    kept = work / "recipe.json"
    if kept.is_file() and json.decode(kept.read_bytes(), type=VectorRecipe) != recipe:
        raise WrongUse(f"{work}: a training by another recipe was begun here. Delete the folder, or choose another --to.")
    write_whole(kept, json.encode(recipe))


def _trainer(recipe: VectorRecipe) -> Callable[[VectorRecipe, TokenizedCorpus, Path, Path, Say], int]:
    if recipe.model == "glove":
        from gluepot.models.embeddings.training.glove import train_glove

        return train_glove
    from gluepot.models.embeddings.training.predictive import train_predictive

    return train_predictive


def _versions(recipe: VectorRecipe) -> dict[str, str]:
    return {"gluepot": __version__, **{name: version(name) for name in ("numpy", "scipy" if recipe.model == "glove" else "gensim")}}
