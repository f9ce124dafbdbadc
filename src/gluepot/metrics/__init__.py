"""Registry of metrics: pure functions of gold and predictions, each with the sample for its confidence interval."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from gluepot.errors import GluepotError
from gluepot.plurals import pluralize
from gluepot.registry import Registry

if TYPE_CHECKING:
    from gluepot.metrics.sample import Sample

INVALID = "\N{REPLACEMENT CHARACTER}invalid"
"""Label of an invalid answer: never right, and not a class in averages over classes."""


class Unavailable(GluepotError):
    """Metric with a dependency that is not installed or not downloaded."""


@dataclass(frozen=True)
class Metric:
    """Declaration of a metric: its name, the answers that it accepts and the location of its code."""

    name: str
    takes: tuple[str, ...]
    """Accepted forms of answer: label, number, index, index-set, tags, text."""
    code: str
    """`package.module:class` of its sample, imported lazily."""
    summary: str
    needs: tuple[str, ...] = ()
    """Arguments besides gold and predictions: options (number per item), groups, labels (as declared)."""
    options: tuple[str, ...] = ()
    """Options that a task may set under `[metric-options.<name>]`."""
    best: float = 1.0
    worst: float | None = None
    """Lower bound, if any."""
    proportion: bool = False
    """Whether it is the share of correct items, each of them right or wrong."""

    def sample(self, gold: Sequence[Any], predicted: Sequence[Any], **extras: Any) -> "Sample":
        """Return the sample (sufficient statistics) of these predictions."""
        if len(gold) != len(predicted):
            raise ValueError(f"{self.name}: {pluralize(len(gold), 'gold answer')} and {pluralize(len(predicted), 'prediction')}")
        if not len(gold):
            raise GluepotError(f"{self.name}: no items to score.")
        module, _, name = self.code.partition(":")
        maker: Callable[..., Sample] = getattr(import_module(module), name)
        try:
            return maker(gold, predicted, **extras)
        except Unavailable:
            raise
        except GluepotError as error:
            raise GluepotError(f"{self.name}: {error}") from error

    def why_undefined(self, gold: Sequence[Any], predicted: Sequence[Any]) -> str:
        """Return the reason why the metric is undefined for these predictions.

        >>> METRICS["spearman"].why_undefined([1, 2, 3], [5, 5, 5])
        'spearman is undefined: all predictions are the same'
        """
        same = [name for name, column in (("gold answers", gold), ("predictions", predicted)) if all(one == column[0] for one in column)]
        if "options" in self.needs:
            why = "no item has more than one option"
        elif len(gold) == 1:
            why = "there is one item alone"
        else:
            why = f"all {' and all '.join(same)} are the same" if same else "it gave no number for these predictions"
        return f"{self.name} is undefined: {why}"

    def __call__(self, gold: Sequence[Any], predicted: Sequence[Any], **extras: Any) -> float:
        from gluepot.metrics.sample import value_of

        return value_of(self.sample(gold, predicted, **extras))


METRICS: Registry[Metric] = Registry("metric")
LABELS, TEXTS = ("label", "index", "text"), ("text",)
DECLARED = ("labels",)


def _declare(name: str, takes: tuple[str, ...], code: str, summary: str, **more: Any) -> None:
    METRICS.add(name, Metric(name, takes, f"gluepot.metrics.{code}", summary, **more))


_declare("accuracy", LABELS, "nominal:Accuracy", "Share of items with the right answer.", worst=0.0, proportion=True)
_declare(
    "alpha-nominal",
    LABELS,
    "nominal:AlphaNominal",
    "Krippendorff's α, any two different labels equally far apart.",
    needs=DECLARED,
    worst=-1.0,
)
_declare(
    "macro-f1",
    LABELS,
    "nominal:MacroF1",
    "Mean of the F1 of each label that occurs in gold or prediction.",
    needs=DECLARED,
    worst=0.0,
)
_declare(
    "micro-f1",
    LABELS,
    "nominal:Accuracy",
    "F1 over all decisions together; with one label an item it equals accuracy.",
    worst=0.0,
    proportion=True,
)
_declare("weighted-f1", LABELS, "nominal:WeightedF1", "F1 of each label, weighted by how often it is gold.", needs=DECLARED, worst=0.0)
_declare(
    "mcc",
    LABELS,
    "nominal:Mcc",
    "Matthews correlation (R_k for more than two labels); 0 where it is undefined.",
    needs=DECLARED,
    worst=-1.0,
)
_declare(
    "favor-against-f1",
    ("label",),
    "nominal:FavorAgainstF1",
    "Mean of the F1 of FAVOR and of AGAINST, found by name.",
    needs=DECLARED,
    options=("classes",),
    worst=0.0,
)
_declare(
    "alpha-interval", ("number",), "interval:AlphaInterval", "Krippendorff's α, distance squared; values off the scale are not clipped."
)
_declare("pearson", ("number",), "interval:Pearson", "Pearson's r; undefined for a constant.", worst=-1.0)
_declare("spearman", ("number",), "rank:Spearman", "Spearman's ρ with tied ranks; undefined for a constant.", worst=-1.0)
_declare(
    "pseudo-alpha",
    ("index", "text"),
    "selection:PseudoAlpha",
    "Accuracy corrected for the chance that the suite publishes: (accuracy − c) / (1 − c).",
    options=("chance",),
)
_declare(
    "pseudo-alpha-recast",
    ("index",),
    "selection:PseudoAlphaRecast",
    "Nominal α of the selection recast as one yes/no decision a candidate.",
    needs=("options",),
)
_declare(
    "gender-parity",
    ("label",),
    "parity:GroupParity",
    "Share of groups (triples differing in a pronoun) with one answer throughout.",
    needs=("groups",),
    worst=0.0,
)
_declare("answer-f1", ("index-set",), "sets:AnswerF1", "F1 of the positive class over all answers of all questions (F1a).", worst=0.0)
_declare("question-exact-match", ("index-set",), "sets:QuestionExactMatch", "Share of questions with every answer judged right.", worst=0.0)
_declare(
    "exact-match",
    TEXTS,
    "answers:ExactMatch",
    "Share of items whose normalised answer equals a gold one.",
    options=("articles",),
    worst=0.0,
    proportion=True,
)
_declare("token-f1", TEXTS, "answers:TokenF1", "Mean token overlap F1 with the nearest gold answer.", options=("articles",), worst=0.0)
_declare("span-f1", ("tags",), "spans:SpanF1", "Micro F1 over spans; an I- without B- opens a span (conlleval).", worst=0.0)
_declare("span-f1-no-misc", ("tags",), "spans:SpanF1NoMisc", "span-f1 with every MISC tag taken as O.", worst=0.0)
_declare("rouge-1", TEXTS, "rouge:Rouge1", "Unigram overlap F1 with the reference, words of any script.", worst=0.0)
_declare("rouge-l", TEXTS, "rouge:RougeL", "Longest common subsequence F1 with the reference, words of any script.", worst=0.0)
_declare(
    "rouge-1-ascii", TEXTS, "rouge:Rouge1Ascii", "rouge-1 as the rouge-score package splits words, at every non-ASCII letter.", worst=0.0
)
_declare(
    "rouge-l-ascii", TEXTS, "rouge:RougeLAscii", "rouge-l as the rouge-score package splits words, at every non-ASCII letter.", worst=0.0
)
_declare("bertscore", TEXTS, "bertscore:BertScore", "Mean BERTScore F1; its model is loaded only when it is there.", options=("model",))
