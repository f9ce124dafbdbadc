"""gluepot's metrics compared with commonly used packages, on synthetic data of realistic shape."""

import math
import random
import string
import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from itertools import accumulate, chain
from statistics import fmean
from typing import Any

import krippendorff
import numpy as np
from rouge_score.rouge_scorer import RougeScorer
from scipy.stats import pearsonr, spearmanr
from seqeval.metrics import f1_score as seqeval_f1
from sklearn.metrics import f1_score, matthews_corrcoef

from benchmarks import TIMED_RESAMPLES, Comparison, alternate, compare
from gluepot.metrics import METRICS
from gluepot.metrics.sample import Floats
from gluepot.statistics.bootstrap import RESAMPLES, generator, interval, replicate

SEED = 2024
NLI = ["entailment", "neutral", "contradiction"]
TOPICS = [f"topic-{number:02}" for number in range(34)]
SCALE = [round(1 + step * 4 / 46, 4) for step in range(47)]
TYPES = ["PER", "LOC", "ORG", "MISC"]

Pairs = Sequence[tuple[Hashable, Hashable]]
Columns = tuple[list[str], list[str]]
Tags = list[list[str]]


def compare_all(n: int) -> Iterator[Comparison]:
    """Yield every comparison as soon as it is measured."""
    for family in (compare_krippendorff, compare_seqeval, compare_rouge_score, compare_sklearn, compare_bootstrap, compare_scipy):
        yield from family(n)


def compare_krippendorff(n: int) -> Iterator[Comparison]:
    gold, predicted = labelled(NLI, n)
    copies = [[label.encode().decode() for label in column] for column in (gold, predicted)]
    cases: list[tuple[str, str, Sequence[Any], float | None]] = [
        ("α nominal, 3 labels, integer arrays", "nominal", integers(gold, predicted), 20),
        ("α nominal, 3 labels, strings", "nominal", (gold, predicted), None),
        ("α nominal, 3 labels, every string an object of its own", "nominal", copies, None),
        ("α nominal, 34 labels", "nominal", labelled(TOPICS, n), 20),
        ("α interval, 47 values", "interval", rated(n), 20),
    ]
    for name, level, (g, p), wanted in cases:
        theirs = partial(krippendorff.alpha, [g, p], level_of_measurement=level)
        yield compare(name, "krippendorff", n, partial(METRICS[f"alpha-{level}"], g, p), theirs, wanted)


def compare_seqeval(n: int) -> Iterator[Comparison]:
    gold, predicted = tagged(n)
    yield compare("span F1", "seqeval", n, partial(METRICS["span-f1"], gold, predicted), partial(seqeval_f1, gold, predicted), 10)
    g, p = ([[tag.lower() for tag in tags] for tags in side] for side in (gold, predicted))
    with warnings.catch_warnings(action="ignore"):  # seqeval warns about every lower-case tag
        ours = partial(METRICS["span-f1-scandeval14"], g, p)
        yield compare("span F1 of ScandEval 14, lower-cased tags", "seqeval", n, ours, partial(seqeval_f1, g, p), 10)


def compare_rouge_score(n: int) -> Iterator[Comparison]:
    gold, predicted = summarised(n)
    for name, kind in (("rouge-1", "rouge1"), ("rouge-l", "rougeL")):
        theirs = partial(rouge_score_mean, kind, gold, predicted)
        yield compare(name.upper(), "rouge-score", n, partial(METRICS[f"{name}-ascii"], gold, predicted), theirs, 5)


def rouge_score_mean(kind: str, gold: Sequence[str], predicted: Sequence[str]) -> float:
    scorer = RougeScorer([kind])
    return fmean(scorer.score(g, p)[kind].fmeasure for g, p in zip(gold, predicted, strict=True))


def compare_sklearn(n: int) -> Iterator[Comparison]:
    columns: Sequence[Any] = labelled(NLI, n)
    for form, (g, p) in (("strings", columns), ("integer arrays", integers(*columns))):
        yield compare(f"MCC, {form}", "scikit-learn", n, partial(METRICS["mcc"], g, p), partial(matthews_corrcoef, g, p), 2)
        for average in ("macro", "micro", "weighted"):
            theirs = partial(f1_score, g, p, average=average)
            yield compare(f"{average} F1, {form}", "scikit-learn", n, partial(METRICS[f"{average}-f1"], g, p), theirs, 2)


def compare_scipy(n: int) -> Iterator[Comparison]:
    g, p = rated(n)
    yield compare("Pearson's r", "SciPy", n, partial(METRICS["pearson"], g, p), lambda: float(pearsonr(g, p)[0]))
    yield compare("Spearman's ρ", "SciPy", n, partial(METRICS["spearman"], g, p), lambda: float(spearmanr(g, p)[0]))


def compare_bootstrap(n: int) -> Iterator[Comparison]:
    """Compare with plain Python: items drawn by random.choices, and the metric recomputed on each resample."""
    gold, predicted = labelled(NLI, n)
    for metric, measure in (("alpha-nominal", plain_alpha), ("accuracy", plain_accuracy)):
        ours = partial(our_resamples, metric, gold, predicted)
        theirs = partial(plain_resamples, measure, list(zip(gold, predicted, strict=True)))
        our_seconds, part = alternate(n, ours, theirs)
        gap, allowed = interval_gap(ours(), theirs())
        seconds = part * RESAMPLES / TIMED_RESAMPLES
        yield Comparison(f"{RESAMPLES:,} resamples of {metric}", "plain Python", n, our_seconds, seconds, gap, 500, allowed)


def our_resamples(metric: str, gold: list[str], predicted: list[str]) -> Floats:
    return replicate(METRICS[metric].sample(gold, predicted), generator(SEED))


def plain_resamples(measure: Callable[[Pairs], float], pairs: Pairs) -> Floats:
    chance = random.Random(SEED)
    return np.array([measure(chance.choices(pairs, k=len(pairs))) for _ in range(TIMED_RESAMPLES)])


def plain_alpha(pairs: Pairs) -> float:
    pooled = 2 * len(pairs)
    wrong = sum(g != p for g, p in pairs)
    same = sum(count**2 for count in Counter(chain.from_iterable(pairs)).values())
    return 1 - (wrong / len(pairs)) * pooled * (pooled - 1) / (pooled**2 - same)


def plain_accuracy(pairs: Pairs) -> float:
    return sum(g == p for g, p in pairs) / len(pairs)


def interval_gap(ours: Floats, theirs: Floats) -> tuple[float, float]:
    """Return the largest difference between the ends of both 95 % intervals, and four standard errors of such a difference."""
    ends = [interval(values) or (math.nan, math.nan) for values in (ours, theirs)]
    density = 0.0584  # of the normal distribution at its 2.5 % quantile, in standard deviations
    error = float(ours.std()) / density * math.sqrt(0.025 * 0.975 * (1 / len(ours) + 1 / len(theirs)))
    return max(abs(a - b) for a, b in zip(*ends, strict=True)), 4 * error


def labelled(labels: list[str], n: int) -> Columns:
    """Generate gold labels of unequal frequency, and predictions of which about 80 % are correct."""
    chance = random.Random(SEED)
    gold = chance.choices(labels, weights=range(2 * len(labels), len(labels), -1), k=n)
    return gold, [label if chance.random() < 0.75 else chance.choice(labels) for label in gold]


def integers(*columns: list[str]) -> list[Any]:
    """Return the same labels encoded as integer arrays."""
    number = {label: position for position, label in enumerate(dict.fromkeys(chain.from_iterable(columns)))}
    return [np.array([number[label] for label in column], np.intp) for column in columns]


def rated(n: int) -> tuple[list[float], list[float]]:
    """Generate gold ratings on a scale of 47 values, and predictions a few steps off."""
    chance = random.Random(SEED)
    steps = [chance.randrange(len(SCALE)) for _ in range(n)]
    guesses = [min(max(round(step + chance.gauss(0, 6)), 0), len(SCALE) - 1) for step in steps]
    return [SCALE[step] for step in steps], [SCALE[guess] for guess in guesses]


def tagged(n: int) -> tuple[Tags, Tags]:
    """Generate sentences of about 18 tokens, every eighth of which starts an entity; 4 % of the predicted tags are redrawn."""
    chance = random.Random(SEED)
    gold = [_sentence(chance, chance.randint(6, 30)) for _ in range(n)]
    tags = ["O", *(f"{prefix}-{kind}" for prefix in "BI" for kind in TYPES)]
    return gold, [[tag if chance.random() < 0.96 else chance.choice(tags) for tag in sentence] for sentence in gold]


def _sentence(chance: random.Random, length: int) -> list[str]:
    tags: list[str] = []
    while len(tags) < length:
        kind = chance.choice(TYPES)
        tags += [f"B-{kind}", *[f"I-{kind}"] * chance.choice((0, 0, 1, 2))] if chance.random() < 0.12 else ["O"]
    return tags[:length]


def summarised(n: int) -> Columns:
    """Generate references of about 30 words with Danish letters, and summaries of about 25, mostly from the reference."""
    chance = random.Random(SEED)
    words = ["".join(chance.choices(string.ascii_lowercase + "æøå", k=chance.randint(2, 9))) for _ in range(5_000)]
    frequencies = list(accumulate(1 / rank for rank in range(1, len(words) + 1)))
    references = [chance.choices(words, cum_weights=frequencies, k=chance.randint(24, 36)) for _ in range(n)]
    summaries = [[w if chance.random() < 0.6 else chance.choice(words) for w in r[: chance.randint(20, 30)]] for r in references]
    return [_text(words) for words in references], [_text(words) for words in summaries]


def _text(words: list[str]) -> str:
    return f"{' '.join(words).capitalize()}."
