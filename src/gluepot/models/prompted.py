"""Prompting logic shared by all language models, local or remote: requests from a task's items, predictions from the replies."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import exp
from typing import Any, Literal, Protocol

from gluepot.errors import WrongUse
from gluepot.metrics import INVALID
from gluepot.models import CannotSolve
from gluepot.models.prompts.asking import Form, Message, PromptBuilder, Question, prompt_of
from gluepot.models.prompts.entities import schema
from gluepot.models.prompts.fields import numbered
from gluepot.models.prompts.parsing import without_thinking
from gluepot.models.prompts.shots import draw_shots
from gluepot.records import LIKELIHOOD_PER_BYTE, PROBABILITY, AnswerTrace, Example, Prediction, Task
from gluepot.tasks import KINDS

AnswerMethod = Literal["likelihood", "first-token", "constrained", "text"]
ANSWER_METHODS = ("auto", "likelihood", "first-token", "text")
FORMS = ("auto", "base", "instruct")
ROOM, THOUGHTFUL = 32, 1024
"""Maximum tokens of an answer where the task declares none, and of the reasoning of a model that begins with it."""
STOP = "\n\n"
"""Text that ends the answer of a base model."""


@dataclass(frozen=True)
class PromptRequest:
    """One question to be sent to a model."""

    builder: PromptBuilder
    question: Question
    max_tokens: int
    schema: str | None = None

    def text(self, cut: int = 0) -> str:
        """Return the prompt for a base model, without the oldest `cut` shots."""
        return self.builder.head(cut) + self.question.text

    def messages(self, cut: int = 0) -> list[Message]:
        return [*self.builder.turns(cut), {"role": "user", "content": self.question.text + self.question.tail}]


@dataclass
class Reply:
    """Response to a request: log-likelihoods of the candidates, or a text."""

    logs: list[float] = field(default_factory=list)
    text: str | None = None
    cut: int = 0
    tokens: int = 0
    written: int = 0
    way: AnswerMethod | None = None
    """Method by which it was obtained, where that is not the requested one."""


class Engine(Protocol):
    """Backend that runs the model."""

    chat: bool
    """Whether it accepts chat turns."""
    constrains: bool
    """Whether it can constrain its output to a grammar."""

    @property
    def thinks(self) -> bool:
        """Whether its chats begin with reasoning."""
        ...

    @property
    def scores(self) -> bool:
        """Whether it returns the likelihood of a text."""
        ...

    def score(self, requests: Sequence[PromptRequest], *, first: bool) -> Iterable[Reply]:
        """Return the log-likelihoods of each request's candidates, or of their first tokens where those differ."""
        ...

    def write(self, requests: Sequence[PromptRequest]) -> Iterator[Reply]:
        """Yield greedy answers, in order."""
        ...


@dataclass(frozen=True)
class PromptSettings:
    """The user's settings for prompting a model."""

    shots: int | None = None
    prompt: int = 0
    form: str = "auto"
    answers: str = "auto"
    thinking: int | None = None
    """Maximum reasoning tokens before the answer; None for the model's default."""

    def __post_init__(self) -> None:
        if self.thinking is not None and self.thinking < 0:
            raise WrongUse(f"--thinking: {self.thinking} is no number of tokens.")
        if self.thinking and self.answers in ("likelihood", "first-token"):
            raise WrongUse(f"--thinking: who thinks first answers in text, not by --answers {self.answers}.")
        for name, value, known in (("form", self.form, FORMS), ("answers", self.answers, ANSWER_METHODS)):
            if value not in known:
                raise WrongUse(f"--{name}: {value!r} is none of {', '.join(known)}.")


class PromptingAdapter:
    """Adapter that learns nothing: it draws shots from the training data and prompts the model."""

    def __init__(self, engine: Engine, seed: int, prompt_settings: PromptSettings) -> None:
        self.engine, self.seed, self.prompt_settings = engine, seed, prompt_settings
        self.source: tuple[Task, list[Example]] | None = None
        self.avoided: set[tuple[str, ...]] = set()
        self.builders: dict[str, PromptBuilder] = {}

    def avoid(self, texts: set[tuple[str, ...]]) -> None:
        """Exclude examples with any of these texts from the shots: they are evaluation items."""
        self.avoided = texts

    def fit(self, task: Task, train: Sequence[Example], dev: Sequence[Example]) -> None:
        self.source = (task, list(train or dev))

    def builder(self, task: Task) -> PromptBuilder:
        """Return the task's builder with its shots, drawn once and shared by all items."""
        if task.path not in self.builders:
            if task.prompt is None:
                raise CannotSolve(f"{task.path} declares no prompt, so that a language model cannot be asked.")
            learned, data = self.source or (task, [])
            count = prompt_of(task).shots if self.prompt_settings.shots is None else self.prompt_settings.shots
            shots = draw_shots(learned, data, count, self.seed, self.avoided)
            self.builders[task.path] = PromptBuilder(task, shots, self._form(task, shots), self.prompt_settings.prompt)
        return self.builders[task.path]

    def _form(self, task: Task, shots: Sequence[Example]) -> Form:
        """Choose a chat where the model has one, but complete worded options: likelihoods are meant for those."""
        if self.prompt_settings.form == "base" or self.prompt_settings.form == "instruct":
            return "base" if self.prompt_settings.form == "base" else "instruct"
        plain = PromptBuilder(task, shots, "base", self.prompt_settings.prompt)
        texts = numbered(task) and not plain.letters and self.prompt_settings.answers in ("auto", "likelihood") and not self.thinking
        return "base" if (texts and self.allows("likelihood")) or not self.engine.chat else "instruct"

    @property
    def thinking(self) -> int:
        """Maximum number of reasoning tokens before the answer."""
        if self.prompt_settings.thinking is not None:
            return self.prompt_settings.thinking
        return (
            THOUGHTFUL
            if self.engine.thinks and self.prompt_settings.form != "base" and self.prompt_settings.answers in ("auto", "text")
            else 0
        )

    def allows(self, way: AnswerMethod) -> bool:
        """Return whether the model supports this method."""
        return way == "text" or (self.engine.constrains if way == "constrained" else self.engine.scores)

    def way(self, task: Task, question: Question) -> AnswerMethod:
        """Return the requested method, or the best one, as far as the model supports it."""
        wanted = "text" if self.thinking else self.prompt_settings.answers
        best: AnswerMethod = "text"
        if not question.candidates:
            best = "constrained" if KINDS[task.kind].answer.per_token and wanted == "auto" else "text"
        elif wanted == "auto":
            best = "likelihood" if question.texts else "first-token"
        elif wanted != "text":
            best = "likelihood" if wanted == "likelihood" else "first-token"
        return best if self.allows(best) else "text"

    def predict(self, task: Task, examples: Sequence[Example]) -> list[Prediction]:
        return list(self.answer(task, examples))

    def answer(self, task: Task, examples: Sequence[Example]) -> Iterator[Prediction]:
        """Yield one prediction per item, in order, as soon as all its questions are answered."""
        if not examples:
            return
        builder = self.builder(task)
        questions = [builder.questions(example) for example in examples]
        way = self.way(task, next(question for asked in questions for question in asked))
        grammar = schema(builder.words) if way == "constrained" else None
        room = (prompt_of(task).max_tokens or ROOM) + self.thinking
        requests = [PromptRequest(builder, question, room, grammar) for asked in questions for question in asked]
        scored = way in ("likelihood", "first-token")
        replies = iter(self.engine.score(requests, first=way == "first-token") if scored else self.engine.write(requests))
        for example, asked in zip(examples, questions, strict=True):
            yield _prediction(builder, example, asked, [next(replies) for _ in asked], way)


def _prediction(
    builder: PromptBuilder, example: Example, asked: Sequence[Question], replies: Sequence[Reply], way: AnswerMethod
) -> Prediction:
    raw, thought, texts = None, 0, []
    chosen: list[Any] = []
    scores: list[float] | None = None
    for question, reply in zip(asked, replies, strict=True):
        if reply.text is None:
            raw = _largest(reply.logs)
            chosen.append(_largest(_per_byte(question, reply.logs)))
        else:
            said, cut = without_thinking(reply.text)
            thought += cut
            texts.append(said)
            chosen.append(builder.read(example, said))
    read = None not in chosen
    way = next((reply.way for reply in replies if reply.way), way)
    if read and way in ("likelihood", "first-token") and len(asked) == 1:
        scores = _per_byte(asked[0], replies[0].logs) if asked[0].texts else _shares(replies[0].logs)
    note = AnswerTrace(
        way,
        text="\n".join(texts) if texts else None,
        raw=builder.output(example, [raw]) if raw is not None and len(asked) == 1 and asked[0].texts else None,
        read=read,
        cut=sum(reply.cut for reply in replies),
        tokens=sum(reply.tokens for reply in replies),
        written=sum(reply.written for reply in replies),
        thought=thought,
    )
    measure = LIKELIHOOD_PER_BYTE if asked[0].texts else PROBABILITY
    return Prediction(example.id, builder.output(example, chosen) if read else INVALID, scores, note, measure)


def _per_byte(question: Question, logs: Sequence[float]) -> list[float]:
    """Return the scores that decide an answer: worded options per byte, so that long ones are not penalized for length alone."""
    sizes = [len((text + question.tail).encode()) if question.texts else 1 for text in question.candidates]
    return [value / size for value, size in zip(logs, sizes, strict=True)]


def _largest(values: Sequence[float]) -> int:
    return max(range(len(values)), key=values.__getitem__)


def _shares(logs: Sequence[float]) -> list[float]:
    """Return the probabilities among the candidates alone."""
    top = max(logs)
    parts = [exp(value - top) for value in logs]
    return [part / sum(parts) for part in parts]
