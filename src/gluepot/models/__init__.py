"""Model adapters, one file each, by the name that the command line uses."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from re import compile as compile_pattern
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from gluepot.errors import GluepotError, WrongUse, unknown
from gluepot.masking import mask_secrets
from gluepot.records import Example, Prediction, Task
from gluepot.registry import Registry

if TYPE_CHECKING:
    from gluepot.models.protocols import Settings


class CannotSolve(GluepotError):
    """A task that an adapter has no way to answer, or not with the training data at hand; the text says why."""


class Adapter(Protocol):
    """A model that learns a task from examples and answers others. One instance serves one task and one seed.

    `predict` must give an item the same answer whatever batch it comes in, so that a resumed run equals an
    undisturbed one. An attribute `batch` says how many items an adapter wants at a time.
    """

    def fit(self, task: Task, train: Sequence[Example], dev: Sequence[Example]) -> None:
        """Learn; `train` is empty where a task has no training data. Raises CannotSolve."""
        ...

    def predict(self, task: Task, examples: Sequence[Example]) -> list[Prediction]:
        """One prediction an example, in order; `task` may be a diagnostic of the one that was learned."""
        ...


@runtime_checkable
class Streaming(Protocol):
    """An adapter that gives its answers one after the other while it works; they are stored as they come."""

    def stream(self, task: Task, examples: Sequence[Example]) -> Iterator[Prediction]: ...


@dataclass(frozen=True)
class AdapterInfo:
    """An adapter as declared: where its code is and what it is for."""

    name: str
    code: str
    """`package.module:class`; the class takes (name, argument, seed). Empty where the runner itself is the model."""
    summary: str
    argument: str = ""
    """What stands after the colon (FILE, DIR, HUB_ID), if anything must."""
    seeded: bool = True
    """Whether another seed gives other answers."""
    options: tuple[str, ...] = ()
    """Settings that the command line may give it, by the names of the class's keyword arguments."""
    tuned: bool = False
    """Whether it is trained by a protocol: its class then takes `settings` too."""
    preparation: str = "learning"
    """What it does before its first answer, as the progress of a run says."""
    needs: str = ""
    """The extra that brings its libraries, if one does."""
    trusts: str = "runs code that came with it"
    """What it does that a file must not make it do unasked; empty where it only computes with the suite's data and stored answers."""


@dataclass(frozen=True)
class ModelName:
    """A model as named at the prompt: `tfidf-svm`, `vectors:FILE`."""

    adapter: str
    argument: str = ""
    options: tuple[tuple[str, int | float | str], ...] = ()

    def __str__(self) -> str:
        """As it is stored and shown: whole, but for what looks like a key."""
        settings = "".join(f" --{name.replace('_', '-')} {value}" for name, value in self.options if name not in UNTOLD)
        return mask_secrets((f"{self.adapter}:{self.argument}" if self.argument else self.adapter) + settings)


ADAPTERS: Registry[AdapterInfo] = Registry("model")
SUITE_BASELINES: Registry[str] = Registry("baseline of a suite's own")
"""What a suite's publishers mean by a baseline: `suite/adapter` to the `package.module:class` that takes its place there."""
UNTOLD = ("time_limit", "budget", "price", "ledger", "precision", "key_address", "trust_pickle", "trust_remote_code")
"""Settings that are no part of a model's name: no answer hangs on them, or, as for the precision, a run has them beside the name."""
TOLD = compile_pattern(r" --([a-z-]+) (\S+)$")


def _declare(name: str, code: str, summary: str, **more: Any) -> None:
    ADAPTERS.add(name, AdapterInfo(name, code and f"gluepot.models.{code}", summary, **more))


def _declare_harmless(name: str, code: str, summary: str, **more: Any) -> None:
    _declare(name, code, summary, trusts="", **more)


_declare_harmless("majority", "baseline:Majority", "The most frequent answer of the training data; the mean for scores.", seeded=False)
_declare_harmless("random", "baseline:Random", "Any legal answer, each as likely.", preparation="starting")
_declare_harmless("random-weighted", "baseline:RandomWeighted", "Answers as likely as in the training data.")
_declare_harmless("lead", "lead:LeadBaseline", "The first sentences of the text, for summaries.", seeded=False, preparation="starting")
_declare_harmless("tfidf-svm", "tfidf:TfidfModel", "TF-IDF features and a linear support vector machine.")
_declare_harmless("tfidf-tree", "tfidf:TfidfModel", "TF-IDF features and a decision tree.")
_declare_harmless("tfidf-forest", "tfidf:TfidfModel", "TF-IDF features and a random forest.")
_declare_harmless("tfidf-logistic", "tfidf:TfidfModel", "TF-IDF features and logistic (or ridge) regression.")
_declare_harmless("crf", "crf:Crf", "A conditional random field over word shapes, affixes and neighbours, for token tasks.", seeded=False)
_declare(
    "vectors",
    "vectors:Vectors",
    "Word vectors: cosines, analogies, averaged texts with logistic regression.",
    argument="FILE",
    options=("trust_pickle",),
    trusts="reads word vectors from this file",
)
_declare(
    "encoder",
    "encoder.adapter:EncoderModel",
    "A pretrained encoder, fine-tuned by a protocol.",
    argument="PATH|HUB_ID",
    tuned=True,
    options=("precision", "trust_remote_code"),
    trusts="loads this model, from a folder or from the hub",
)
_declare_harmless(
    "ensemble", "", "The mean of the probabilities that runs have kept.", argument="RUN,RUN…", seeded=False, preparation="reading"
)
_declare(
    "lm",
    "lm.adapter:LanguageModel",
    "A language model run here, asked with prompts.",
    argument="PATH|HUB_ID",
    options=("shots", "wording", "form", "answers", "thinking", "precision", "trust_remote_code"),
    preparation="loading",
    needs="torch",
    trusts="loads this model, from a folder or from the hub",
)
_declare(
    "api",
    "api.adapter:ApiModel",
    "A language model behind an OpenAI-compatible HTTP API.",
    argument="NAME@URL",
    options=("shots", "wording", "form", "answers", "thinking", "price", "budget", "ledger", "key_address"),
    preparation="asking",
    needs="api",
    trusts="sends the items to this server",
)
_declare_harmless(
    "predictions", "", "Predictions made elsewhere, as `score` takes them.", argument="PATH", seeded=False, preparation="reading"
)
_declare(
    "command",
    "command:Command",
    "A program that reads items and writes predictions, one a line.",
    argument="'PROGRAM …'",
    options=("batch_size", "time_limit"),
    preparation="starting",
    trusts="starts this program",
)


def parse_model(text: str, **options: int | float | str | None) -> ModelName:
    """The adapter, its argument and the settings that were given.

    >>> parse_model("vectors:sv.bin")
    ModelName(adapter='vectors', argument='sv.bin', options=())
    """
    name, _, argument = text.partition(":")
    if name not in ADAPTERS:
        raise WrongUse(unknown("model", name, ADAPTERS))
    wanted = ADAPTERS[name].argument
    if bool(wanted) != bool(argument):
        raise WrongUse(f"{name}: write {name}:{wanted}." if wanted else f"{name} takes nothing after a colon.")
    given = tuple((option, value) for option, value in options.items() if value is not None)
    while ADAPTERS[name].needs and (told := TOLD.search(argument)):  # a model as `str` writes it, from a manifest
        argument = argument[: told.start()]
        given = ((told[1].replace("-", "_"), int(told[2]) if told[2].isdigit() else told[2]), *given)
        if given[0][0] in UNTOLD:
            raise WrongUse(f"{name}: --{told[1]} is no part of a model's name.")
    for option, _ in given:
        if option not in ADAPTERS[name].options:
            raise WrongUse(f"{name} takes no --{option.replace('_', '-')}.")
    return ModelName(name, argument, given)


def named_by_user(model: ModelName) -> ModelName:
    """A model that stood on the command line itself: the user's key may go to its address."""
    _, at, url = model.argument.partition("@http")
    if "key_address" not in ADAPTERS[model.adapter].options or not at:
        return model
    return replace(model, options=(*model.options, ("key_address", f"http{url}")))


def make_adapter(model: ModelName, seed: int = 0, settings: "Settings | None" = None) -> Adapter:
    """A fresh adapter; its libraries are imported only now."""
    info = ADAPTERS[model.adapter]
    module, _, name = info.code.partition(":")
    try:
        maker = getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        if not (info.tuned or info.needs):
            raise
        raise GluepotError(f"{info.name} needs {error.name}: pip install 'gluepot[{info.needs or 'torch'}]'.") from error
    more = {"settings": settings} if info.tuned else {}
    adapter: Adapter = maker(model.adapter, model.argument, seed, **more, **dict(model.options))
    return adapter
