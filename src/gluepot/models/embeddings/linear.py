"""Logistic and ridge regression on standardised features, trained by scikit-learn, with row-wise prediction."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gluepot.models.embeddings import Floats

Doubles = NDArray[np.float64]
STRENGTH = 0.003
"""scikit-learn's C for features of variance one; on three tasks 0.001 to 0.01 are alike and 0.1 is worse."""
FEW = 5.0
"""C times the number of rows, if they are few: the penalty would dominate otherwise."""
ROUNDS = 100
ALPHAS = (1.0, 10.0, 100.0, 1e3, 1e4, 1e5)


@dataclass(frozen=True)
class Linear:
    """Linear model with the standardisation folded into its weights.

    Each row is multiplied separately, since a product of many rows may round differently: the answer to an
    item must not depend on its batch.
    """

    weights: Doubles
    offsets: Doubles
    classes: tuple[str, ...] = ()

    def values(self, row: Floats) -> Doubles:
        result: Doubles = self.weights @ row.astype(np.float64) + self.offsets
        return result

    def probabilities(self, row: Floats) -> dict[str, float]:
        """Return the probability of each class."""
        values = self.values(row)
        shares = np.exp(values - values.max())
        return dict(zip(self.classes, (shares / shares.sum()).tolist(), strict=True))


def learn_classes(features: Floats, labels: Sequence[str], seed: int) -> Linear:
    """Fit a logistic regression. The features are standardised in place."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    classes = tuple(sorted(set(labels)))
    if len(classes) == 1:
        return Linear(np.zeros((1, features.shape[1])), np.zeros(1), classes)
    mean, scale = standardise(features)
    model = LogisticRegression(C=max(STRENGTH, FEW / len(features)), max_iter=ROUNDS, random_state=seed)
    with warnings.catch_warnings():  # further convergence does not improve held-out results
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(features, list(labels))
    weights, offsets = model.coef_.astype(np.float64), np.atleast_1d(model.intercept_).astype(np.float64)
    if len(classes) == 2:
        weights, offsets = np.vstack((np.zeros_like(weights), weights)), np.append(0.0, offsets)
    return _folded(weights, offsets, mean, scale, tuple(map(str, model.classes_)))


def learn_numbers(features: Floats, targets: Sequence[float]) -> Linear:
    """Fit a ridge regression, its strength chosen by leave-one-out. The features are standardised in place."""
    from sklearn.linear_model import RidgeCV

    mean, scale = standardise(features)
    model = RidgeCV(ALPHAS).fit(features, np.asarray(targets, np.float64))
    return _folded(np.atleast_2d(model.coef_).astype(np.float64), np.atleast_1d(model.intercept_).astype(np.float64), mean, scale)


def standardise(features: Floats) -> tuple[Doubles, Doubles]:
    """Standardise each column to mean 0 and variance 1 in place, and return the means and scales."""
    mean = features.mean(axis=0, dtype=np.float64)
    features -= mean.astype(np.float32)
    scale = np.sqrt(np.einsum("nf,nf->f", features, features, dtype=np.float64) / len(features))
    scale[scale < 1e-9] = 1.0
    features /= scale.astype(np.float32)
    return mean, scale


def _folded(weights: Doubles, offsets: Doubles, mean: Doubles, scale: Doubles, classes: tuple[str, ...] = ()) -> Linear:
    weights = weights / scale
    return Linear(weights, offsets - weights @ mean, classes)
