"""Display names of systems that are shown side by side."""

from collections.abc import Sequence
from pathlib import Path


def distinct_names(models: Sequence[str], paths: Sequence[Path]) -> list[str]:
    """Return distinct names: the model, with its folder if systems share one, and with a number if they share both.

    >>> distinct_names(["tfidf-svm", "random", "random"], [Path("a"), Path("b/x"), Path("c/x")])
    ['tfidf-svm', 'random (x)', 'random (x, 2)']
    """
    names: list[str] = []
    for model, path in zip(models, paths, strict=True):
        stem = f"{model} ({path.resolve().name if path.name == '' else path.name})" if models.count(model) > 1 else model
        again = sum(name == stem or name.startswith(f"{stem[:-1]}, ") for name in names)
        names.append(f"{stem[:-1]}, {again + 1})" if again else stem)
    return names
