"""Training of word vectors from texts to a file for `vectors:`, with a manifest next to it."""

from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from shutil import rmtree
from time import perf_counter

from msgspec import MsgspecError, Struct, json
from msgspec.structs import replace

from gluepot import __version__
from gluepot.errors import GluepotError, WrongUse
from gluepot.files import write_atomically
from gluepot.models.embeddings.training.corpus import TokenizedCorpus, tokenize
from gluepot.models.embeddings.training.recipe import EPOCH, PAIRS, VectorRecipe

START = "start.json"
AFRESH = "Delete the folder, or choose another --to."
Say = Callable[[str], None]
"""Takes a line on the progress of the training."""


class Start(Struct, frozen=True):
    """Inputs of a training, to check on resuming."""

    recipe: VectorRecipe
    fingerprint: str = ""
    """Hash of the words of the corpus."""


class TrainedVectors(Struct, frozen=True, kw_only=True):
    """Manifest of a file of word vectors: its recipe, corpus and versions."""

    file: str
    recipe: VectorRecipe
    corpus: TokenizedCorpus
    words: int
    """Size of the vocabulary."""
    seconds: float
    """Duration since the last start; an interrupted training took longer."""
    versions: dict[str, str]
    command: list[str] = []
    kind: str = "gluepot-vectors"


def train_vectors(recipe: VectorRecipe, texts: Sequence[str], to: Path, say: Say, command: Sequence[str] = ()) -> TrainedVectors:
    """Train by a recipe and write the vectors to a file; an interrupted training resumes after its last complete epoch."""
    if to.exists():
        raise WrongUse(f"{to}: is there already. Choose another --to, or delete it.")
    start, work = perf_counter(), to.with_name(f"{to.name}.work")
    work.mkdir(parents=True, exist_ok=True)
    _check_start(Start(recipe), work)
    corpus = tokenize(texts, work, cased=recipe.cased, say=say)
    if not corpus.tokens:
        rmtree(work)
        raise GluepotError(f"{', '.join(texts)}: no words in it.")
    _keep_start(Start(recipe, corpus.fingerprint), work)
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
    write_atomically(to.with_name(f"{to.name}.json"), json.format(json.encode(trained), indent=2) + b"\n")
    rmtree(work)
    return trained


def _check_start(now: Start, work: Path) -> None:
    """Raise `WrongUse` if an earlier start in the folder has another recipe or, as far as known, other texts."""
    if not (work / EPOCH).is_file():
        return
    before = _read_start(work)
    if before is None or before.recipe != now.recipe:
        raise WrongUse(f"{work}: a training by another recipe was begun here. {AFRESH}")
    if now.fingerprint and before.fingerprint != now.fingerprint:
        raise WrongUse(f"{work}: a training on other texts was begun here. {AFRESH}")


def _keep_start(now: Start, work: Path) -> None:
    """Record the start; a different earlier one without a complete epoch is discarded, with its counts."""
    _check_start(now, work)
    if _read_start(work) != now:
        (work / PAIRS).unlink(missing_ok=True)
        write_atomically(work / START, json.encode(now))


def _read_start(work: Path) -> Start | None:
    try:
        return json.decode((work / START).read_bytes(), type=Start)
    except (OSError, MsgspecError):
        return None


def _trainer(recipe: VectorRecipe) -> Callable[[VectorRecipe, TokenizedCorpus, Path, Path, Say], int]:
    if recipe.model == "glove":
        from gluepot.models.embeddings.training.glove import train_glove

        return train_glove
    from gluepot.models.embeddings.training.predictive import train_predictive

    return train_predictive


def _versions(recipe: VectorRecipe) -> dict[str, str]:
    return {"gluepot": __version__, **{name: version(name) for name in ("numpy", "scipy" if recipe.model == "glove" else "gensim")}}
