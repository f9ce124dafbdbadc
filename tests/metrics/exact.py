"""Reference implementations of the metrics in exact arithmetic: slow, and correct for any finite numbers and weights.

A reference takes rows (gold, predicted, options, group) and one weight for each resampled unit, and returns the value, or None
where it is undefined.
"""

from collections import Counter
from fractions import Fraction
from math import isqrt

from gluepot.metrics import INVALID

DIGITS = 10**60
"""Precision of roots, as a power of ten."""


def root(square):
    """Return the square root of a fraction, to sixty significant digits."""
    shift = max(0, len(str(square.denominator)) - len(str(square.numerator)))
    unit = DIGITS * 10**shift
    return Fraction(isqrt(square.numerator * unit**2 // square.denominator), unit)


def share(part, whole):
    return Fraction(part) / whole if whole else None


def right(rows, weights):
    return sum(w for (g, p, *_), w in zip(rows, weights, strict=True) if g == p)


def without_abstention(rows):
    """Replace each invalid answer by the most frequent wrong label."""
    gold = Counter(g for g, *_ in rows)
    real = {label for g, p, *_ in rows for label in (g, p)} - {INVALID}
    order = sorted(real, key=lambda label: (-gold[label], str(label)))
    if len(order) < 2:
        return rows
    return [(g, (order[1] if g == order[0] else order[0]) if p == INVALID else p, *more) for g, p, *more in rows]


def margins(rows, weights):
    gold, predicted, both = Counter(), Counter(), Counter()
    for (g, p, *_), w in zip(without_abstention(rows), weights, strict=True):
        gold[g] += w
        predicted[p] += w
        both[g] += w * (g == p)
    return gold, predicted, both


def f1(label, gold, predicted, both):
    return share(2 * both[label], gold[label] + predicted[label]) or Fraction(0)


def accuracy(rows, weights):
    return share(right(rows, weights), sum(weights))


def alpha_nominal(rows, weights):
    n = sum(weights)
    wrong = n - right(rows, weights)
    gold, predicted, _ = margins(rows, weights)
    pooled = gold + predicted
    expected = (2 * n) ** 2 - sum(count**2 for count in pooled.values())
    return 1 - (wrong / n) / (Fraction(expected) / (2 * n * (2 * n - 1))) if wrong else Fraction(1)


def macro_f1(rows, weights):
    counts = margins(rows, weights)
    labels = [label for label in {*counts[0], *counts[1]} if counts[0][label] + counts[1][label] and label != INVALID]
    return share(sum(f1(label, *counts) for label in labels), len(labels)) or Fraction(0)


def weighted_f1(rows, weights):
    counts = margins(rows, weights)
    return share(sum(f1(label, *counts) * w for label, w in counts[0].items()), sum(weights))


def favor_against_f1(rows, weights):
    counts = margins(rows, weights)
    return sum(f1(label, *counts) for label in ("FAVOR", "AGAINST")) / Fraction(2)


def mcc(rows, weights):
    n = sum(weights)
    gold, predicted, _ = margins(rows, weights)
    covariance = right(rows, weights) * n - sum(gold[label] * predicted[label] for label in gold)
    spread = (n**2 - sum(w**2 for w in gold.values())) * (n**2 - sum(w**2 for w in predicted.values()))
    return covariance / root(spread) if spread else Fraction(0)


def alpha_interval(rows, weights):
    pairs = [(Fraction(float(g)), Fraction(float(p)), w) for (g, p, *_), w in zip(rows, weights, strict=True)]
    n = sum(weights)
    observed = sum(w * (g - p) ** 2 for g, p, w in pairs) / n
    mean = sum(w * (g + p) for g, p, w in pairs) / (2 * n)
    spread = sum(w * ((g - mean) ** 2 + (p - mean) ** 2) for g, p, w in pairs)
    return 1 - observed / (2 * spread / (2 * n - 1)) if observed else Fraction(1)


def correlation(x, y, weights):
    n = sum(weights)
    centre = [sum(w * v for v, w in zip(column, weights, strict=True)) / n for column in (x, y)]
    products = [
        sum(w * (a - centre[i]) * (b - centre[j]) for a, b, w in zip(one, other, weights, strict=True))
        for (i, one), (j, other) in (((0, x), (1, y)), ((0, x), (0, x)), ((1, y), (1, y)))
    ]
    return products[0] / root(products[1] * products[2]) if products[1] and products[2] else None


def pearson(rows, weights):
    return correlation([Fraction(float(g)) for g, *_ in rows], [Fraction(float(p)) for _, p, *_ in rows], weights)


def mid_ranks(values, weights):
    below = [sum(w for other, w in zip(values, weights, strict=True) if other < value) for value in values]
    level = [sum(w for other, w in zip(values, weights, strict=True) if other == value) for value in values]
    return [low + Fraction(same + 1) / 2 for low, same in zip(below, level, strict=True)]


def spearman(rows, weights):
    columns = [[float(row[side]) for row in rows] for side in (0, 1)]
    return correlation(*(mid_ranks(column, weights) for column in columns), weights)


def pseudo_alpha(rows, weights):
    return (accuracy(rows, weights) - Fraction(1, 5)) / Fraction(4, 5)


def pseudo_alpha_recast(rows, weights):
    n, candidates = sum(weights), sum(w * row[2] for row, w in zip(rows, weights, strict=True))
    wrong = 1 - right(rows, weights) / n
    if not wrong:
        return Fraction(1)
    return 1 - wrong * (2 * candidates - 1) / (2 * (candidates - n)) if candidates > n else None


def gender_parity(rows, weights):
    groups = {}
    for _, p, _, group in rows:
        groups.setdefault(group, set()).add(p)
    same = [len(given) == 1 and INVALID not in given for given in groups.values()]
    return share(sum(w for w, fair in zip(weights, same, strict=True) if fair), sum(weights))


def answer_f1(rows, weights):
    counted = list(zip(rows, weights, strict=True))
    hits = sum(w * len(set(g) & set(p)) for (g, p, *_), w in counted)
    return share(2 * hits, sum(w * (len(set(g)) + len(set(p))) for (g, p, *_), w in counted)) if any_there(counted) else Fraction(1)


def any_there(counted):
    return any(w and (g or p) for (g, p, *_), w in counted)


def question_exact_match(rows, weights):
    return share(sum(w for (g, p, *_), w in zip(rows, weights, strict=True) if set(g) == set(p)), sum(weights))


def mean_of(judge):
    """Return the metric that averages a score over items, taking the best of several gold answers."""

    def value(rows, weights):
        total = Fraction(0)
        for (gold, p, *_), w in zip(rows, weights, strict=True):
            total += w * max(judge(g, p) for g in ([gold] if isinstance(gold, str) else gold))
        return share(total, sum(weights))

    return value


def plain_words(text):
    """Split a text into lower-case words without ASCII punctuation."""
    return "".join(c for c in text.lower() if c not in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~").split()


def overlap(gold, predicted):
    if not gold or not predicted:
        return Fraction(gold == predicted)
    left, shared = list(gold), 0
    for word in predicted:
        if word in left:
            left.remove(word)
            shared += 1
    return Fraction(2 * shared, len(gold) + len(predicted))


def exact_match(gold, predicted):
    return Fraction(plain_words(gold) == plain_words(predicted))


def token_f1(gold, predicted):
    return overlap(plain_words(gold), plain_words(predicted))


def letters(text, ascii_only):
    """Return the words of letters and digits, of ASCII only or of any script."""
    kept = [c if (c.isascii() or not ascii_only) and c.isalnum() else " " for c in text.lower()]
    return "".join(kept).split()


def rouge_1(ascii_only):
    def judge(gold, predicted):
        g, p = letters(gold, ascii_only), letters(predicted, ascii_only)
        return overlap(g, p) if g and p else Fraction(0)

    return judge


def rouge_l(ascii_only):
    def judge(gold, predicted):
        g, p = letters(gold, ascii_only), letters(predicted, ascii_only)
        line = [0] * (len(p) + 1)
        for word in g:
            before = line[:]
            for place, other in enumerate(p):
                line[place + 1] = before[place] + 1 if word == other else max(before[place + 1], line[place])
        return Fraction(2 * line[-1], len(g) + len(p)) if g and p else Fraction(0)

    return judge


def conll_spans(tags):
    """Return the spans of one sentence as (start, end, type)."""
    spans, start, kind = [], None, ""
    for place, tag in enumerate([*tags, "O"]):
        prefix, _, own = tag.partition("-")
        if start is not None and (tag == "O" or prefix == "B" or own != kind):
            spans.append((start, place, kind))
            start = None
        if tag != "O" and start is None:
            start, kind = place, own
    return spans


def span_f1(misc):
    def value(rows, weights):
        hits = total = Fraction(0)
        for (gold, predicted, *_), w in zip(rows, weights, strict=True):
            sides = [set(conll_spans([tag if misc or not tag.endswith("MISC") else "O" for tag in side])) for side in (gold, predicted)]
            hits += w * len(sides[0] & sides[1])
            total += w * (len(sides[0]) + len(sides[1]))
        return 2 * hits / total if total else Fraction(1)

    return value


REFERENCES = {
    "accuracy": accuracy,
    "micro-f1": accuracy,
    "alpha-nominal": alpha_nominal,
    "macro-f1": macro_f1,
    "weighted-f1": weighted_f1,
    "favor-against-f1": favor_against_f1,
    "mcc": mcc,
    "alpha-interval": alpha_interval,
    "pearson": pearson,
    "spearman": spearman,
    "pseudo-alpha": pseudo_alpha,
    "pseudo-alpha-recast": pseudo_alpha_recast,
    "gender-parity": gender_parity,
    "answer-f1": answer_f1,
    "question-exact-match": question_exact_match,
    "exact-match": mean_of(exact_match),
    "token-f1": mean_of(token_f1),
    "rouge-1": mean_of(rouge_1(False)),
    "rouge-l": mean_of(rouge_l(False)),
    "rouge-1-ascii": mean_of(rouge_1(True)),
    "rouge-l-ascii": mean_of(rouge_l(True)),
    "span-f1": span_f1(True),
    "span-f1-no-misc": span_f1(False),
}
"""References by metric; the two metrics of ScandEval 14 (a defect, kept by name) are compared with seqeval in `test_spans.py`."""
