"""`encoder:PATH|HUB_ID`: a pretrained encoder, fine-tuned on a task."""

from collections.abc import Sequence
from math import isnan
from pathlib import Path
from shutil import rmtree

from msgspec import MsgspecError, Struct, json
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from gluepot.metrics import Unavailable
from gluepot.metrics.sample import value_of
from gluepot.models import CannotSolve
from gluepot.models.encoder.cache import encode_cached
from gluepot.models.encoder.devices import NotFinite, choose_device, seed_all
from gluepot.models.encoder.loading import count_parameters, read_config, read_net, read_pieces
from gluepot.models.encoder.readings import Encoded, TaskFormat, make_reading
from gluepot.models.encoder.running import Runner, TrainingSet
from gluepot.models.encoder.several import first_device, run_on_all
from gluepot.models.encoder.training import Look, TrainingLoop, Watch
from gluepot.models.precision import choose
from gluepot.models.protocols import Diverged, Settings
from gluepot.models.trials import AUTO, FULL
from gluepot.notices import tell
from gluepot.records import Example, Prediction, Task
from gluepot.tasks.judging import as_answer, make_sample

WEIGHTS, TRAINED = "model.safetensors", "trained.json"


class TrainingRecord(Struct, frozen=True):
    """How a model came about, kept with it."""

    model: str
    task: str
    settings: Settings
    seed: int
    parameters: int
    precision: str
    max_length: int
    looks: list[Look]
    best: float | None
    """The best value on development data: the metric that ranks, or minus the loss, as the settings select."""
    items: int
    seconds: float
    items_per_second: float
    cut: int
    """Training texts that did not fit."""
    halved: int
    pruned: bool
    notes: list[str]
    reading: dict[str, float] = {}


class EncoderModel:
    """One encoder for one task and seed."""

    batch = 1024
    """Items that are answered, and stored, at a time: enough to sort them by length."""

    def __init__(
        self, name: str, argument: str, seed: int, settings: Settings | None = None, precision: str = AUTO, trust_remote_code: bool = False
    ) -> None:
        self.trust = {"trust_remote_code": bool(trust_remote_code)}
        self.place, self.settings, self.precision = argument, settings or Settings(), precision
        self.seed = self.settings.first_seed + seed
        self.watch: Watch | None = None
        self.trained: TrainingRecord | None = None

    def fit(self, task: Task, train: Sequence[Example], dev: Sequence[Example]) -> None:
        reading = self._reading(task)
        if not train:
            raise CannotSolve(f"encoder: {task.path} has no training data at hand to be fine-tuned on.")
        self._open(reading)
        reading.prepare(list(train))
        lessons, dev_lessons = self._lessons(reading, train), self._lessons(reading, dev)
        try:
            course = self._course(reading, dev, dev_lessons)
            run_on_all(course, lessons)
        except NotFinite:
            course = self._again_in_fp32(reading, dev, dev_lessons, lessons)
        self._describe(task, reading, course, lessons, labels_unseen(task, train))

    def _reading(self, task: Task) -> TaskFormat:
        reading = make_reading(task, self.settings)
        if reading is None:
            raise CannotSolve(f"encoder: {task.path} is a task of the kind {task.kind}, which encoders cannot answer.")
        self.reading = reading
        return reading

    def _open(self, reading: TaskFormat, precision: str = "") -> None:
        """A fresh net: pretrained weights and a new head."""
        config = read_config(self.place, **self.trust)
        self.pieces = read_pieces(self.place, config, self.settings.max_length, **self.trust)
        seed_all(self.seed)
        net = read_net(self.place, config, reading.net, reading.outputs, self.pieces, **self.trust)
        self.runner = Runner(net, self.pieces.tokenizer.pad_token_id or 0, first_device(), precision or choose(self.precision).precision)

    def _lessons(self, reading: TaskFormat, examples: Sequence[Example]) -> TrainingSet:
        encoded = encode_cached(reading, self.pieces, examples)
        units = encoded.by_example(len(examples)) if reading.grouped else [[row] for row in range(len(encoded))]
        return TrainingSet(encoded, reading.gold(list(examples), encoded), [unit for unit in units if unit], reading.loss)

    def _course(self, reading: TaskFormat, dev: Sequence[Example], lessons: TrainingSet) -> TrainingLoop:
        def evaluate() -> tuple[float, float]:
            outputs = self.runner.outputs(lessons.encoded)
            answers = answers_from(reading, dev, lessons.encoded, outputs)
            loss = self.runner.loss(lessons) if self.settings.select == "loss" else float("nan")
            return loss, dev_score(reading.task, dev, answers)

        return TrainingLoop(self.runner, self.settings, self.seed, evaluate if dev else None, self.watch)

    def _again_in_fp32(self, reading: TaskFormat, dev: Sequence[Example], dev_lessons: TrainingSet, lessons: TrainingSet) -> TrainingLoop:
        precision = self.runner.precision
        if precision != FULL:
            self._open(reading, FULL)
            course = self._course(reading, dev, dev_lessons)
            try:
                run_on_all(course, lessons)
                return course
            except NotFinite:
                precision = FULL
        raise Diverged(f"encoder: diverged: the loss is not a number any more ({self.settings}, seed {self.seed}, {precision}).")

    def _describe(self, task: Task, reading: TaskFormat, course: TrainingLoop, lessons: TrainingSet, notes: list[str]) -> None:
        self.trained = TrainingRecord(
            model=self.place,
            task=task.path,
            settings=self.settings,
            seed=self.seed,
            parameters=count_parameters(self.runner.net),
            precision=self.runner.precision,
            max_length=self.pieces.max_length,
            looks=course.looks,
            best=course.best if course.best_look >= 0 else None,
            items=len(lessons.units),
            seconds=round(course.seconds, 2),
            items_per_second=round(course.learned / max(course.seconds, 1e-9), 2),
            cut=len(lessons.encoded.cut),
            halved=self.runner.halved,
            pruned=course.pruned,
            notes=notes,
            reading=reading.state(),
        )

    def predict(self, task: Task, examples: Sequence[Example]) -> list[Prediction]:
        check_labels(task, self.reading.task)
        encoded = encode_cached(self.reading, self.pieces, examples)
        return answers_from(self.reading, examples, encoded, self.runner.outputs(encoded))

    def count_cut(self, task: Task, examples: Sequence[Example]) -> int:
        """How many of them do not fit into the model."""
        return len(encode_cached(self.reading, self.pieces, examples).cut)

    def save(self, folder: Path) -> None:
        """The trained net and how it came about; the description last, so that it vouches for the weights."""
        assert self.trained is not None, "fit comes first"
        tensors = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in self.runner.net.state_dict().items()}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            save_file(tensors, folder / f".{WEIGHTS}")
            (folder / f".{WEIGHTS}").replace(folder / WEIGHTS)
            (folder / TRAINED).write_bytes(json.encode(self.trained))
        except (OSError, SafetensorError) as error:  # it is needed again only if the run is stopped
            tell(f"{folder}: the trained model cannot be kept ({error}). The run goes on.")
            rmtree(folder, ignore_errors=True)

    def load(self, task: Task, folder: Path) -> bool:
        """Take a net that was trained before; whether there is one. What is left of a broken one is dropped."""
        if not (folder / TRAINED).is_file():
            return False
        try:
            self.trained = json.decode((folder / TRAINED).read_bytes(), type=TrainingRecord)
            weights = load_file(folder / WEIGHTS)
        except (OSError, ValueError, MsgspecError, SafetensorError):
            tell(f"{folder}: this kept model is broken; it is dropped and trained again.")
            rmtree(folder, ignore_errors=True)
            return False
        reading = self._reading(task)
        reading.restore(self.trained.reading)
        self._open(reading, self.trained.precision)
        self.runner.net.load_state_dict(weights)
        self.runner.move(choose_device())
        return True


def answers_from(reading: TaskFormat, examples: Sequence[Example], encoded: Encoded, outputs: list) -> list[Prediction]:  # type: ignore[type-arg]
    """One prediction an example, from the outputs of its rows."""
    rows = encoded.by_example(len(examples))
    return [
        reading.answer(example, [outputs[row] for row in own], [encoded.notes[row] for row in own])
        for example, own in zip(examples, rows, strict=True)
    ]


def dev_score(task: Task, dev: Sequence[Example], answers: Sequence[Prediction]) -> float:
    """The metric that ranks; minus infinity where it is undefined, as a correlation of a constant is."""
    try:
        value = value_of(make_sample(task, task.metrics[0], dev, [as_answer(task, p.output) for p in answers]))
    except Unavailable:
        return float("-inf")
    return float("-inf") if isnan(value) else float(value)


def labels_unseen(task: Task, train: Sequence[Example]) -> list[str]:
    """A sentence if some labels cannot be learned because the training data has none of them."""
    if not task.labels or isinstance(train[0].target, int | float):
        return []
    seen = {label for example in train for label in ([example.target] if isinstance(example.target, str) else example.target)}
    missing = [label for label in task.labels if label not in seen]
    if not missing:
        return []
    return [f"{task.name}: the training data has no {', '.join(missing)}; items that have such an answer will be wrong."]


def check_labels(task: Task, learned: Task) -> None:
    """A diagnostic may only ask for labels that were learned."""
    extra = [label for label in task.labels if label not in learned.labels]
    if extra:
        raise CannotSolve(f"encoder: {task.path} asks for {', '.join(extra)}, which {learned.path} does not teach.")
