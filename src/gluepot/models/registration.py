"""Registry of the adapters under their command-line names, with what each accepts and needs; no other code checks for specific adapters."""

from dataclasses import dataclass
from typing import Any, Literal

from gluepot.models import settings as known
from gluepot.models.settings import AdapterSetting
from gluepot.registry import Registry

BATCH = 256
"""Default number of items that a model receives at a time."""


@dataclass(frozen=True)
class AdapterInfo:
    """Declaration of an adapter: the location of its code, its purpose, and what it accepts and needs."""

    name: str
    code: str
    """`package.module:class`; the class takes (name, argument, seed) and its settings."""
    summary: str
    argument: str = ""
    """Placeholder of the argument after the colon (FILE, DIR, HUB_ID), if one is required."""
    argument_kind: Literal["path", "address", "program", "image", "runs", "code"] = "path"
    """Kind of the argument: files or a Hub name, NAME@URL, a command line, an image, runs to be combined, an object in a Python program."""
    takes_adapter: bool = False
    """Whether `BASE+ADAPTER` names a model with a PEFT adapter on top of it."""
    prefixed: bool = False
    """Whether listings show the adapter before the argument, which alone is too vague: `vectors:wiki.vec`."""
    settings: tuple[AdapterSetting, ...] = ()
    """The settings that it accepts."""
    seeded: bool = True
    """Whether predictions depend on the seed."""
    tuned: bool = False
    """Whether it is trained by a protocol: its class then takes `settings` too, and its trained state can be saved (`TunedAdapter`)."""
    streams: bool = False
    """Whether it yields its predictions one by one while it works (`Streaming`)."""
    batch: int = BATCH
    """Number of items that it receives at a time."""
    draws_shots: bool = False
    """Whether it draws few-shot examples from the training data by itself (`ShotDrawing`)."""
    reads_answers: bool = False
    """Whether it returns stored answers: its class then takes the evaluated `suite` and `split` too."""
    tells_likelihoods: bool = False
    """Whether it is a local language model that returns the likelihood of any text."""
    live: bool = False
    """Whether a Python program passed it in: it has no command-line name, stays in its process, and cannot be recreated."""
    preparation: str = "learning"
    """Activity before its first answer, as shown in the progress of a run."""
    needs: str = ""
    """The extra that provides its libraries, if any; for a plug-in's adapter, the requirement to install with pip."""
    trusts: str = "runs code that came with it"
    """Action that a file must not trigger without consent; empty if it only computes with the suite's data and stored answers."""

    def takes(self, setting: AdapterSetting) -> bool:
        return setting in self.settings

    def setting(self, name: str) -> AdapterSetting | None:
        """Return the setting of this current or former name, or None."""
        return next((one for one in self.settings if name in (one.name, one.former)), None)


ADAPTERS: Registry[AdapterInfo] = Registry("model")
SUITE_BASELINES: Registry[str] = Registry("baseline of a suite's own")
"""A suite's own variant of a baseline: `suite/adapter` to the `package.module:class` that replaces it there."""


def _declare(name: str, code: str, summary: str, **more: Any) -> None:
    ADAPTERS.add(name, AdapterInfo(name, f"gluepot.{code}", summary, **more))


def _declare_harmless(name: str, code: str, summary: str, **more: Any) -> None:
    _declare(name, code, summary, trusts="", **more)


_declare_harmless(
    "majority", "models.baselines.trivial:Majority", "The most frequent answer of the training data; the mean for scores.", seeded=False
)
_declare_harmless("random", "models.baselines.trivial:Random", "Any legal answer, each as likely.", preparation="starting")
_declare_harmless("random-weighted", "models.baselines.trivial:RandomWeighted", "Answers as likely as in the training data.")
_declare_harmless(
    "lead", "models.baselines.lead:LeadBaseline", "The first sentences of the text, for summaries.", seeded=False, preparation="starting"
)
_declare_harmless("tfidf-svm", "models.baselines.tfidf:TfidfModel", "TF-IDF features and a linear support vector machine.")
_declare_harmless("tfidf-tree", "models.baselines.tfidf:TfidfModel", "TF-IDF features and a decision tree.")
_declare_harmless("tfidf-forest", "models.baselines.tfidf:TfidfModel", "TF-IDF features and a random forest.")
_declare_harmless("tfidf-logistic", "models.baselines.tfidf:TfidfModel", "TF-IDF features and logistic (or ridge) regression.")
_declare_harmless(
    "crf", "models.baselines.crf:Crf", "A conditional random field over word shapes, affixes and neighbours, for token tasks.", seeded=False
)
_declare(
    "vectors",
    "models.embeddings.vectors:Vectors",
    "Word vectors: cosines, analogies, averaged texts with logistic regression.",
    argument="FILE",
    prefixed=True,
    settings=(known.TRUST_PICKLE,),
    needs="vectors",
    batch=20_000,  # each batch scans the vocabulary for analogies: better a whole split than a few items at a time
    trusts="reads word vectors from this file",
)
_declare(
    "encoder",
    "models.encoder.adapter:EncoderModel",
    "A pretrained encoder, fine-tuned by a protocol.",
    argument="PATH|HUB_ID",
    settings=(
        known.REVISION,
        known.COMMIT,
        known.PRECISION,
        known.DEVICE,
        known.CHECKPOINT_EVERY,
        known.TRUST_REMOTE_CODE,
        known.ADAPTER,
        known.LORA_RANK,
    ),
    tuned=True,
    batch=1024,  # enough to sort them by length
    needs="torch",
    trusts="loads this model, from a folder or from the hub",
)
_declare_harmless(
    "ensemble",
    "runs.prediction.ensemble:Ensemble",
    "The mean of the probabilities that runs have kept.",
    argument="RUN,RUN…",
    argument_kind="runs",
    seeded=False,
    reads_answers=True,
    preparation="reading",
)
_declare(
    "lm",
    "models.lm.adapter:LanguageModel",
    "A language model run here, asked with prompts.",
    argument="PATH|HUB_ID[+ADAPTER]",
    takes_adapter=True,
    settings=(*known.PROMPTING, known.REVISION, known.COMMIT, known.PRECISION, known.DEVICE, known.DEVICE_MAP, known.TRUST_REMOTE_CODE),
    batch=128,
    draws_shots=True,
    tells_likelihoods=True,
    preparation="loading",
    needs="torch",
    trusts="loads this model, from a folder or from the hub",
)
_declare(
    "vllm",
    "models.lm.vllm:VllmModel",
    "A language model run here by vLLM, asked with prompts.",
    argument="PATH|HUB_ID[+ADAPTER]",
    takes_adapter=True,
    settings=(*known.PROMPTING, known.REVISION, known.COMMIT, known.PRECISION, known.TENSOR_PARALLEL, known.TRUST_REMOTE_CODE),
    batch=1024,  # vLLM forms its own batches: the more items it receives, the better
    draws_shots=True,
    preparation="loading",
    needs="vllm",
    trusts="loads this model, from a folder or from the hub",
)
_declare(
    "api",
    "models.api.adapter:ApiModel",
    "A language model behind an OpenAI-compatible HTTP API.",
    argument="NAME@URL",
    argument_kind="address",
    settings=(*known.PROMPTING, known.PRICE, known.BUDGET, known.LEDGER, known.KEY_ADDRESS),
    streams=True,
    draws_shots=True,
    preparation="asking",
    needs="api",
    trusts="sends the items to this server",
)
_declare_harmless(
    "predictions",
    "runs.prediction.external_predictions:ExternalPredictions",
    "Predictions made elsewhere, as `score` takes them.",
    argument="PATH",
    seeded=False,
    reads_answers=True,
    preparation="reading",
)
_declare(
    "command",
    "models.command:Command",
    "A program that reads items and writes predictions, one a line.",
    argument="'PROGRAM …'",
    argument_kind="program",
    prefixed=True,
    settings=(known.BATCH_SIZE, known.TIME_LIMIT, *known.FENCED),
    streams=True,
    preparation="starting",
    trusts="starts this program",
)
_declare(
    "container",
    "models.container:Container",
    "An image whose program does the same, in the sandbox.",
    argument="IMAGE",
    argument_kind="image",
    prefixed=True,
    settings=(known.BATCH_SIZE, known.TIME_LIMIT, known.IN_SANDBOX, *known.BOUNDED, known.ENGINE),
    streams=True,
    preparation="starting",
    trusts="runs this image",
)
for _name, _summary in (
    ("function", "A Python function from a list of examples to a list of answers."),
    ("object", "An adapter of a Python program's own."),
):
    _declare(
        _name,
        "models.live:FunctionModel",
        _summary,
        argument="MODULE.NAME",
        argument_kind="code",
        prefixed=True,
        seeded=False,
        live=True,
        trusts="was handed over by a Python program",
    )
