"""Train word vectors on a corpus and write a file for `gluepot evaluate vectors:FILE`. An interrupted training is resumed."""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path
from typing import Any

from gluepot.cli.console.numbers import bounded_count, bounded_int
from gluepot.cli.console.output import console, print_json
from gluepot.errors import WrongUse
from gluepot.models.settings import option_of
from gluepot.plurals import pluralize

MODELS = ("word2vec", "fasttext", "glove")
OWN = {"glove": {"window": 15, "epochs": 15}}
"""Defaults that differ from gensim's: those of the authors' program."""

ONLY = {"skip_gram": ("word2vec", "fasttext"), "subwords": ("fasttext",), "buckets": ("fasttext",)}
"""Options that only some models take."""


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("corpus", nargs="+", metavar="CORPUS", help="text files (also gzipped), folders of them, or - for standard input")
    parser.add_argument("--model", choices=MODELS, default="word2vec")
    parser.add_argument("--to", type=Path, required=True, metavar="FILE", help="output file; FILE.json records how it was made")
    parser.add_argument("--skip-gram", action="store_true", help="for word2vec, fasttext: skip-gram instead of CBOW")
    parser.add_argument("--dimensions", type=bounded_int(1, 10_000), default=100, metavar="N", help="(default 100)")
    parser.add_argument("--window", type=bounded_int(1, 100), metavar="N", help="window size on each side (default 5; glove 15)")
    parser.add_argument("--epochs", type=bounded_int(1, 1000), metavar="N", help="(default 5; glove 15)")
    parser.add_argument("--min-count", type=bounded_int(1, 10**6), default=5, metavar="N", help="minimum word count (default 5)")
    parser.add_argument(
        "--vocabulary", type=bounded_int(1, 10**8), default=10**6, metavar="N", help="maximum vocabulary size (default 1,000,000)"
    )
    parser.add_argument("--subwords", type=_lengths, metavar="N-M", help="for fasttext: length of character n-grams (default 3-6)")
    parser.add_argument(
        "--buckets", type=bounded_int(1, 10**8), metavar="N", help="for fasttext: number of hash buckets for n-grams (default 2,000,000)"
    )
    parser.add_argument("--cased", action="store_true", help="keep upper case (default: lower-case everything)")
    parser.add_argument("--seed", type=bounded_int(0, 10**9), default=0, help="(default 0)")
    parser.add_argument("--workers", type=bounded_count("jobs"), default=1, help="threads (default 1, which is reproducible)")
    parser.add_argument(
        "--memory", type=bounded_int(1, 10**4), default=4, metavar="GIB", help="memory limit for vectors and counts (default 4)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def _lengths(text: str) -> tuple[int, int]:
    first, dash, last = text.partition("-")
    if not (dash and first.isdigit() and last.isdigit() and 1 <= int(first) <= int(last) <= 100):
        raise ArgumentTypeError(f"{text[:30]}: write two lengths, such as 3-6")
    return int(first), int(last)


def run(options: Namespace) -> int:
    from gluepot.models import ADAPTERS, libraries_of
    from gluepot.models.embeddings.training import train_vectors
    from gluepot.models.embeddings.training.recipe import VectorRecipe

    own = OWN.get(options.model, {})
    for name, models in ONLY.items():
        if getattr(options, name) and options.model not in models:
            raise WrongUse(f"{options.model} takes no {option_of(name)}: it is for {' and '.join(models)}.")
    recipe = VectorRecipe(
        model=options.model,
        window=options.window or own.get("window", 5),
        epochs=options.epochs or own.get("epochs", 5),
        memory=float(options.memory),
        **{name: value for name in SAME if (value := getattr(options, name)) is not None},
    )
    with libraries_of(ADAPTERS["vectors"]):
        trained = train_vectors(recipe, options.corpus, options.to.expanduser(), _say, sys.argv[1:])
    if options.json:
        print_json(trained)
        return 0
    screen = console()
    screen.print(
        f"{options.to}: {pluralize(trained.words, 'word')} of {pluralize(recipe.dimensions, 'number')} ({trained.seconds:,.0f} s).",
        markup=False,
    )
    screen.print(f"Try: gluepot evaluate vectors:{options.to} SUITE", markup=False)
    return 0


SAME = ("skip_gram", "dimensions", "min_count", "vocabulary", "subwords", "buckets", "cased", "seed", "workers")
"""Options with the same name in a recipe."""


def _say(line: Any) -> None:
    print(line, file=sys.stderr, flush=True)
