"""What is asked: suites and tasks as they are declared."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

Count = Annotated[int, Meta(ge=1, le=10**9)]
Share = Annotated[float, Meta(ge=0, le=1)]
LearningRate = Annotated[float, Meta(gt=0, le=1_000)]


class Source(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Where a task's files come from and how they are read."""

    files: dict[str, str | list[str]]
    """Split to path (or paths, read one after the other) below the suite's data folder."""
    rows: dict[str, int] = {}
    """Split to size as published; `data check` compares."""
    counts: str = "items"
    """What `rows` counts: items, or tokens where the publication counts those; any other word is what a group of items is called."""
    unlabelled: list[str] = []
    """Splits that are published without their answers."""
    reader: str = "jsonl"
    folder: str | None = None
    """The data folder, where it is another suite's."""
    hub: str | None = None
    revision: str | None = None
    archive: str | None = None
    """URL of the official archive (zip or tar); its top folder is dropped when it is unpacked."""
    sha256: str | None = None
    prefix: str = ""
    """The folder inside the archive or hub repository below which `files` are found."""


class PromptTemplate(Struct, frozen=True, forbid_unknown_fields=True):
    """One way to put a task: what stands before the shots, an item for base models, an item for instruct models."""

    prefix: str = ""
    base: str = ""
    instruct: str = ""


class Prompt(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """How a language model is asked: for base models with shots, for instruct models as a question."""

    prefix: str = ""
    base: str = ""
    instruct: str = ""
    shots: int = 0
    max_tokens: int = 0
    label_words: dict[str, str] = {}
    paraphrase: list[PromptTemplate] = []
    """Other ways to put the same task, for the spread over prompts."""

    @property
    def templates(self) -> list[PromptTemplate]:
        """The declared template, then its paraphrases."""
        return [PromptTemplate(self.prefix, self.base, self.instruct), *self.paraphrase]


class Slices(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Parts of a diagnostic that get scores of their own: `coarse` and `coarse/fine`."""

    fields: dict[str, str]
    """Coarse name to the field that holds its fine tags."""
    separator: str = ";"
    coarse: bool = True
    """Whether the coarse slice (its field is not empty) is scored too."""


class VoteJoin(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """How the items of published votes are found among a task's rows, and how their answers are read."""

    fields: dict[str, str]
    """Field of the task's files to column of the votes."""
    answer: str = ""
    """The column of the answers, where several could be it."""
    drop: list[str] = []
    """What is dropped on both sides before they are compared, besides <b>, </b> and white space."""
    words: dict[str, str] = {}
    """What the votes say in other words than the task's files."""
    marked: str = ""
    """The field of the task's files that is one of the parts which the votes mark with <b>."""
    labels: dict[str, str] = {}
    """Their answers to ours."""
    scale: list[str] = []
    """Their answers in order, where they were given on a scale."""


class Task(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """One task of a suite, as its `task.toml` declares it."""

    title: str
    summary: str
    kind: str
    language: str
    domain: list[str]
    metrics: list[str]
    license: str
    citation: str
    link: str
    data: Source
    fields: dict[str, str]
    """Our field names to theirs, with dots for nested ones."""
    alternative: Source | None = None
    """Other official files of the same items, read where `data` is absent."""
    alternative_fields: dict[str, str] = {}
    labels: list[str] = []
    scale: tuple[float, float] | None = None
    """The lowest and the highest answer, where answers are numbers."""
    off_scale: bool = False
    """Whether answers may leave the scale; otherwise one that does is a problem."""
    official: bool = True
    trained_on: str | None = None
    """The task whose training data a diagnostic uses."""
    may_skip: bool = False
    """Whether a prediction may be null: left out of the score, and counted."""
    coverage: float = 1.0
    """The share of items that must be answered for a score to rank, where answers may be left out."""
    published_skips: str = ""
    """What published comparisons did with items that a system could not answer."""
    slices: Slices | None = None
    metric_options: dict[str, dict[str, Any]] = {}
    prompt: Prompt | None = None
    training: dict[str, Any] = {}
    """Where this task departs from its suite's training."""
    context_words: dict[str, str] = {}
    """What a code in `context` asks, in words, for models that read text."""
    protocol: dict[str, Any] = {}
    """Where this task departs from its suite's protocol."""
    votes: VoteJoin | None = None
    """How people's votes on its items are read, where the files are published."""
    suite: str = ""
    name: str = ""
    folder: str = ""
    """Where it is declared."""

    @property
    def path(self) -> str:
        return f"{self.suite}/{self.name}"

    @property
    def boolean(self) -> bool:
        return set(self.labels) == {"true", "false"}

    @property
    def sources(self) -> list[Source]:
        return [self.data, self.alternative] if self.alternative else [self.data]


class Overall(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """How a suite's one number is made: the mean over terms; a term is the mean over its entries, each `task` or `task:metric`."""

    terms: list[list[str]]
    note: str = ""


class SubmissionRules(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """How a board takes submissions to a suite: how often a private score is to be had."""

    quota: Annotated[int, Meta(ge=1, le=10_000)] | None = None
    """Scorings of a task by one team in `days`; None for ten a day, or fewer for small tests with hidden answers."""
    days: Annotated[int, Meta(ge=1, le=366)] | None = None
    feedback: Literal["ladder", "half"] = "ladder"
    """What a private score tells where answers are hidden: of the whole test, if it is surely better than the team's best so far, or
    of one half of it, while the other half is what is published."""


class TrainingProtocol(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """How the encoders of a suite's reference results were trained; of lists every combination is tried."""

    learning_rate: LearningRate | list[LearningRate]
    batch_size: Count | list[Count]
    name: str = ""
    """What `--protocol` calls it; the suite's name where this is silent."""
    epochs: Count = 1_000
    max_steps: Count | None = None
    warmup_ratio: Share = 0.0
    weight_decay: Annotated[float, Meta(ge=0, le=1_000)] = 0.0
    evaluate_every: Count | None = None
    patience: Count | None = None
    select: Literal["score", "loss"] = "score"
    max_length: Count | None = None
    choice: Literal["softmax", "binary"] = "softmax"
    seed: int = 0
    """Added to the number of the seed."""
    runs: Annotated[int, Meta(ge=1, le=1_000)] = 1
    """Runs with different seeds."""
    bootstraps: Annotated[int, Meta(ge=0, le=10_000)] = 0
    """Resamples of the whole data, each with a run; 0 for the data as it is."""


class Suite(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """A benchmark: its tasks in their published order and what binds them."""

    title: str
    summary: str
    version: str
    language: str
    license: str
    citation: str
    link: str
    order: list[str]
    overall: Overall
    submission: str
    """The name of the official submission format."""
    score_split: str = "test"
    """The split that a submission without split names answers."""
    training: TrainingProtocol | None = None
    submitting: SubmissionRules = SubmissionRules()
    protocol: dict[str, Any] = {}
    """What else papers say of how their results came about, for people to read."""
    name: str = ""
    folder: str = ""
    """Where it is declared."""
    tasks: dict[str, Task] = {}
