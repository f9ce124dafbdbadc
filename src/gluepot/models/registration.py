"""The adapters by the names that the command line uses, each with what it takes and needs: nobody else asks which one it is."""

from dataclasses import dataclass
from typing import Any, Literal

from gluepot.models import settings as known
from gluepot.models.settings import AdapterSetting
from gluepot.registry import Registry

BATCH = 256
"""Items that a model is asked at a time, unless it says otherwise."""


@dataclass(frozen=True)
class AdapterInfo:
    """An adapter as declared: where its code is, what it is for, what it takes and needs."""

    name: str
    code: str
    """`package.module:class`; the class takes (name, argument, seed) and its settings."""
    summary: str
    argument: str = ""
    """What stands after the colon (FILE, DIR, HUB_ID), if anything must."""
    argument_kind: Literal["path", "address", "program", "image", "runs", "code"] = "path"
    """What that is: files or a name on the hub, NAME@URL, a command line, an image, runs that are joined, something in a Python program."""
    takes_adapter: bool = False
    """Whether `BASE+ADAPTER` names a model with a PEFT adapter upon it."""
    prefixed: bool = False
    """Whether the argument alone says too little where systems are listed: `vectors:wiki.vec`."""
    settings: tuple[AdapterSetting, ...] = ()
    """What it may be told."""
    seeded: bool = True
    """Whether another seed gives other answers."""
    tuned: bool = False
    """Whether it is trained by a protocol: its class then takes `settings` too, and what it learned can be kept (`TunedAdapter`)."""
    streams: bool = False
    """Whether it gives its answers one after the other while it works (`Streaming`)."""
    batch: int = BATCH
    """How many items it wants at a time."""
    draws_shots: bool = False
    """Whether it draws few-shot examples from the training data by itself (`ShotDrawing`)."""
    reads_answers: bool = False
    """Whether it hands out stored answers: its class then takes the `suite` and the `split` that are asked too."""
    tells_likelihoods: bool = False
    """Whether it is a language model on this machine that tells how likely any text is."""
    live: bool = False
    """Whether a Python program handed it over: it has no name at the prompt, stays in its process, and cannot be made again."""
    preparation: str = "learning"
    """What it does before its first answer, as the progress of a run says."""
    needs: str = ""
    """The extra that brings its libraries, if one does; of a plug-in's adapter what pip is to install."""
    trusts: str = "runs code that came with it"
    """What it does that a file must not make it do unasked; empty where it only computes with the suite's data and stored answers."""

    def takes(self, setting: AdapterSetting) -> bool:
        return setting in self.settings

    def setting(self, name: str) -> AdapterSetting | None:
        """The setting of this name, or of this name in earlier versions."""
        return next((one for one in self.settings if name in (one.name, one.former)), None)


ADAPTERS: Registry[AdapterInfo] = Registry("model")
SUITE_BASELINES: Registry[str] = Registry("baseline of a suite's own")
"""What a suite's publishers mean by a baseline: `suite/adapter` to the `package.module:class` that takes its place there."""


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
    batch=20_000,  # analogies pass over the vocabulary once a batch: better a whole split than a few items at a time
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
    batch=1024,  # vLLM makes its own batches: the more it sees, the better
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
