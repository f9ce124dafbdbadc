"""Records of declared suites and tasks."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

Count = Annotated[int, Meta(ge=1, le=10**9)]
Share = Annotated[float, Meta(ge=0, le=1)]
LearningRate = Annotated[float, Meta(gt=0, le=1_000)]


class Source(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Files of a task: their origin and reader."""

    files: dict[str, str | list[str]]
    """Split to path (or paths, read in order) relative to the suite's data folder."""
    rows: dict[str, int] = {}
    """Split to published size, which `data check` verifies."""
    counts: str = "items"
    """Unit of `rows`: items, tokens, or the name of a group of items."""
    unlabelled: list[str] = []
    """Splits published without gold answers."""
    reader: str = "jsonl"
    folder: str | None = None
    """Data folder, if it belongs to another suite."""
    hub: str | None = None
    revision: str | None = None
    archive: str | None = None
    """URL of the official archive (zip or tar); its top-level folder is stripped on extraction."""
    sha256: str | None = None
    prefix: str = ""
    """Folder inside the archive or Hub repository to which `files` are relative."""


class PromptTemplate(Struct, frozen=True, forbid_unknown_fields=True):
    """Prompt template: the text before the shots, and the item template for base and for instruct models."""

    prefix: str = ""
    base: str = ""
    instruct: str = ""


class Prompt(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Prompt of a task: few-shot for base models, a question for instruct models."""

    prefix: str = ""
    base: str = ""
    instruct: str = ""
    shots: int = 0
    max_tokens: int = 0
    label_words: dict[str, str] = {}
    paraphrase: list[PromptTemplate] = []
    """Alternative templates of the same task, to measure the variance between prompts."""

    @property
    def templates(self) -> list[PromptTemplate]:
        """The declared template, then its paraphrases."""
        return [PromptTemplate(self.prefix, self.base, self.instruct), *self.paraphrase]


class Slices(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Slices of a diagnostic that are scored separately: `coarse` and `coarse/fine`."""

    fields: dict[str, str]
    """Coarse name to the field with its fine tags."""
    separator: str = ";"
    coarse: bool = True
    """Whether the coarse slice (items whose field is not empty) is scored too."""


class VoteJoin(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Mapping of published votes to a task's items and answers."""

    fields: dict[str, str]
    """Field of the task's files to column of the votes file."""
    answer: str = ""
    """Column of the answers, where it is ambiguous."""
    drop: list[str] = []
    """Strings removed on both sides before comparison, besides <b>, </b> and whitespace."""
    words: dict[str, str] = {}
    """Strings in the votes to their equivalents in the task's files."""
    marked: str = ""
    """Field of the task's files that equals one of the parts marked with <b> in the votes."""
    labels: dict[str, str] = {}
    """Labels of the votes to labels of the task."""
    scale: list[str] = []
    """Labels of the votes in order, if they form a scale."""


class Task(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Task of a suite, as declared in its `task.toml`."""

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
    """Field names of gluepot to those of the files, with dots for nested fields."""
    alternative: Source | None = None
    """Other official files of the same items, read if `data` is missing."""
    alternative_fields: dict[str, str] = {}
    labels: list[str] = []
    scale: tuple[float, float] | None = None
    """Lowest and highest answer, for numeric answers."""
    off_scale: bool = False
    """Whether answers outside the scale are valid."""
    official: bool = True
    trained_on: str | None = None
    """Task whose training data a diagnostic uses."""
    may_skip: bool = False
    """Whether a prediction may be null: excluded from the score, and counted."""
    coverage: float = 1.0
    """Minimum share of answered items for a score to be ranked, where predictions may be null."""
    published_skips: str = ""
    """Treatment of unanswered items in published comparisons."""
    slices: Slices | None = None
    metric_options: dict[str, dict[str, Any]] = {}
    prompt: Prompt | None = None
    training: dict[str, Any] = {}
    """Overrides of the suite's training protocol."""
    context_words: dict[str, str] = {}
    """Codes in `context` to their meaning in words, for models that read text."""
    protocol: dict[str, Any] = {}
    """Overrides of the suite's protocol."""
    votes: VoteJoin | None = None
    """Mapping of the published human votes on its items."""
    suite: str = ""
    name: str = ""
    folder: str = ""
    """Folder of the declaration."""

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
    """Aggregate score of a suite: the mean over terms; a term is the mean over its entries, each `task` or `task:metric`."""

    terms: list[list[str]]
    note: str = ""


class SubmissionRules(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Submission rules of a suite on a board: the quota and the feedback of private scores."""

    quota: Annotated[int, Meta(ge=1, le=10_000)] | None = None
    """Scorings of a task per team in `days`; None for ten per day, or fewer for small test sets with hidden answers."""
    days: Annotated[int, Meta(ge=1, le=366)] | None = None
    feedback: Literal["ladder", "half"] = "ladder"
    """Private score shown for hidden answers. `ladder`: the score on the whole test set, if it is certainly better than the team's
    best so far; `half`: the score on one half of it, while the score on the other half is published."""


class TrainingProtocol(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Training protocol of the encoders in a suite's reference results; for lists, every combination is tried."""

    learning_rate: LearningRate | list[LearningRate]
    batch_size: Count | list[Count]
    name: str = ""
    """Name for `--protocol`; the suite's name if empty."""
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
    """Offset added to the number of the seed."""
    runs: Annotated[int, Meta(ge=1, le=1_000)] = 1
    """Number of runs with different seeds."""
    bootstraps: Annotated[int, Meta(ge=0, le=10_000)] = 0
    """Number of resamples of the whole data, each with a run; 0 for the data without resampling."""


class Suite(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Benchmark: its tasks in published order, and their common declaration."""

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
    """Name of the official submission format."""
    score_split: str = "test"
    """Split of a submission that does not name one."""
    training: TrainingProtocol | None = None
    submitting: SubmissionRules = SubmissionRules()
    protocol: dict[str, Any] = {}
    """Further details of the published protocol, for display."""
    name: str = ""
    folder: str = ""
    """Folder of the declaration."""
    tasks: dict[str, Task] = {}
