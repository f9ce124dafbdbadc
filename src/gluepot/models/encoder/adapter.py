"""`encoder:PATH|HUB_ID`: a pretrained encoder, fine-tuned on a task."""

from collections.abc import Sequence
from math import isnan
from pathlib import Path
from shutil import rmtree

from msgspec import MsgspecError, Struct, field, json
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from gluepot.errors import WrongUse
from gluepot.metrics import Unavailable
from gluepot.metrics.sample import value_of
from gluepot.models import CannotSolve
from gluepot.models.encoder.execution.devices import NonFiniteLossError, choose_device, seed_all
from gluepot.models.encoder.execution.runner import Runner, TrainingSet
from gluepot.models.encoder.networks.loading import count_parameters, read_config, read_net, read_tokenization
from gluepot.models.encoder.networks.lora import RANK, add_lora, count_learning, learned_weights, load_learned
from gluepot.models.encoder.preprocessing.cache import encode_cached
from gluepot.models.encoder.task_formats import EncodedRows, TaskFormat, make_task_format
from gluepot.models.encoder.training.checkpoints import EVERY, Checkpoint
from gluepot.models.encoder.training.distributed import first_device, run_on_all
from gluepot.models.encoder.training.loop import DevEvaluation, PruningCallback, TrainingLoop, rate_for
from gluepot.models.precision import choose
from gluepot.models.precision_probe import AUTO, FULL
from gluepot.models.pretrained import PretrainedSource
from gluepot.models.protocols import DivergedTraining, Settings
from gluepot.notices import notify
from gluepot.records import Example, Prediction, Task
from gluepot.tasks import KINDS
from gluepot.tasks.judging import as_answer, make_sample

WEIGHTS, TRAINED = "model.safetensors", "trained.json"


class TrainingRecord(Struct, frozen=True):
    """Description of a training, saved with the model."""

    model: str
    task: str
    settings: Settings
    seed: int
    parameters: int
    precision: str
    max_length: int
    looks: list[DevEvaluation]
    best: float | None
    """The best value on development data: the ranking metric, or minus the loss, as the settings select."""
    items: int
    seconds: float
    items_per_second: float
    cut: int
    """Number of truncated training texts."""
    halved: int
    pruned: bool
    notes: list[str]
    task_state: dict[str, float] = field(name="reading", default_factory=dict)
    """State of the task format learned from the training data; `reading` in the files of earlier versions."""
    learning_rate: float | None = None
    """The full learning rate: the configuration's, scaled where the protocol says so, and for adapters."""
    learning_parameters: int | None = None
    """Number of trained parameters: all of them, or those of adapters and the head."""


class EncoderModel:
    """An encoder for one task and seed."""

    def __init__(
        self,
        name: str,
        argument: str,
        seed: int,
        settings: Settings | None = None,
        precision: str = AUTO,
        device: str = AUTO,
        revision: str | None = None,
        commit: str | None = None,
        checkpoint_every: int = EVERY,
        trust_remote_code: bool = False,
        adapter: str = "",
        lora_rank: int | None = None,
    ) -> None:
        self.source = PretrainedSource(argument, commit or revision, bool(trust_remote_code))
        self.settings, self.precision, self.device = settings or Settings(), precision, device
        self.seed = self.settings.first_seed + seed
        if lora_rank is not None and not adapter:
            raise WrongUse("--lora-rank goes with --adapter lora.")
        self.lora_rank = (lora_rank or RANK) if adapter else 0
        self.watch: PruningCallback | None = None
        self.every = checkpoint_every
        self.checkpoint: Checkpoint | None = None
        self.trained: TrainingRecord | None = None

    def fit(self, task: Task, train: Sequence[Example], dev: Sequence[Example]) -> None:
        task_format = self._task_format(task)
        if not train:
            raise CannotSolve(f"encoder: {task.path} has no training data at hand to be fine-tuned on.")
        self._open(task_format)
        task_format.prepare(list(train))
        training_set, dev_set = self._training_set(task_format, train), self._training_set(task_format, dev)
        try:
            training_loop = self._training_loop(task_format, dev, dev_set)
            run_on_all(training_loop, training_set, self.device)
        except NonFiniteLossError:
            training_loop = self._again_in_fp32(task_format, dev, dev_set, training_set)
        self._describe(task, task_format, training_loop, training_set, labels_unseen(task, train))
        if self.checkpoint is not None:
            self.checkpoint.drop()

    def set_checkpoint_folder(self, folder: Path) -> None:
        """Set the folder for checkpoints, from which an interrupted training resumes."""
        self.checkpoint = Checkpoint(folder, self.every) if self.every else None

    def _task_format(self, task: Task) -> TaskFormat:
        task_format = make_task_format(task, self.settings)
        if task_format is None:
            raise CannotSolve(f"encoder: {task.path} is a task of the kind {task.kind}, which encoders cannot answer.")
        self.task_format = task_format
        return task_format

    def _open(self, task_format: TaskFormat, precision: str = "") -> None:
        """Load a new net: pretrained weights and a new head."""
        config = read_config(self.source)
        self.tokenization = read_tokenization(self.source, config, self.settings.max_length)
        seed_all(self.seed)
        net = read_net(self.source, config, task_format.net, task_format.outputs, self.tokenization)
        if self.lora_rank:
            add_lora(net, self.lora_rank)
        self.runner = Runner(
            net,
            self.tokenization.tokenizer.pad_token_id or 0,
            first_device(self.device),
            precision or choose(self.precision, self.device).precision,
        )

    def _training_set(self, task_format: TaskFormat, examples: Sequence[Example]) -> TrainingSet:
        encoded = encode_cached(task_format, self.tokenization, examples)
        units = encoded.by_example(len(examples)) if task_format.grouped else [[row] for row in range(len(encoded))]
        return TrainingSet(encoded, task_format.gold(list(examples), encoded), [unit for unit in units if unit], task_format.loss)

    def _training_loop(self, task_format: TaskFormat, dev: Sequence[Example], dev_set: TrainingSet) -> TrainingLoop:
        def evaluate() -> tuple[float, float]:
            outputs = self.runner.outputs(dev_set.encoded)
            answers = answers_from(task_format, dev, dev_set.encoded, outputs)
            loss = self.runner.loss(dev_set) if self.settings.select == "loss" else float("nan")
            return loss, dev_score(task_format.task, dev, answers)

        return TrainingLoop(self.runner, self.settings, self.seed, evaluate if dev else None, self.watch, checkpoint=self.checkpoint)

    def _again_in_fp32(
        self, task_format: TaskFormat, dev: Sequence[Example], dev_set: TrainingSet, training_set: TrainingSet
    ) -> TrainingLoop:
        precision = self.runner.precision
        if precision != FULL:
            self._open(task_format, FULL)
            training_loop = self._training_loop(task_format, dev, dev_set)
            try:
                run_on_all(training_loop, training_set, self.device)
                return training_loop
            except NonFiniteLossError:
                precision = FULL
        raise DivergedTraining(f"encoder: diverged: the loss is not a number any more ({self.settings}, seed {self.seed}, {precision}).")

    def _describe(
        self, task: Task, task_format: TaskFormat, training_loop: TrainingLoop, training_set: TrainingSet, notes: list[str]
    ) -> None:
        self.trained = TrainingRecord(
            model=self.source.place,
            task=task.path,
            settings=self.settings,
            learning_rate=rate_for(self.runner.net, self.settings),
            seed=self.seed,
            parameters=count_parameters(self.runner.net),
            learning_parameters=count_learning(self.runner.net),
            precision=self.runner.precision,
            max_length=self.tokenization.max_length,
            looks=training_loop.looks,
            best=training_loop.best if training_loop.best_look >= 0 else None,
            items=len(training_set.units),
            seconds=round(training_loop.seconds, 2),
            items_per_second=round(training_loop.learned / max(training_loop.seconds, 1e-9), 2),
            cut=len(training_set.encoded.cut),
            halved=self.runner.halved,
            pruned=training_loop.pruned,
            notes=notes,
            task_state=task_format.state(),
        )

    def predict(self, task: Task, examples: Sequence[Example]) -> list[Prediction]:
        check_labels(task, self.task_format.task)
        encoded = encode_cached(self.task_format, self.tokenization, examples)
        return answers_from(self.task_format, examples, encoded, self.runner.outputs(encoded))

    def count_cut(self, task: Task, examples: Sequence[Example]) -> int:
        """Return the number of examples that do not fit into the model."""
        return len(encode_cached(self.task_format, self.tokenization, examples).cut)

    def save(self, folder: Path) -> None:
        """Save the trained net and its description; the description last, as it marks the weights as complete."""
        assert self.trained is not None, "fit comes first"
        tensors = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in learned_weights(self.runner.net).items()}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            save_file(tensors, folder / f".{WEIGHTS}")
            (folder / f".{WEIGHTS}").replace(folder / WEIGHTS)
            (folder / TRAINED).write_bytes(json.encode(self.trained))
        except (OSError, SafetensorError) as error:  # it is needed again only if the run is stopped
            notify(f"{folder}: the trained model cannot be kept ({error}). The run goes on.")
            rmtree(folder, ignore_errors=True)

    def load(self, task: Task, folder: Path) -> bool:
        """Load a trained net and return whether there is one; a broken one is deleted."""
        if not (folder / TRAINED).is_file():
            return False
        try:
            self.trained = json.decode((folder / TRAINED).read_bytes(), type=TrainingRecord)
            weights = load_file(folder / WEIGHTS)
        except (OSError, ValueError, MsgspecError, SafetensorError):
            notify(f"{folder}: this kept model is broken; it is dropped and trained again.")
            rmtree(folder, ignore_errors=True)
            return False
        task_format = self._task_format(task)
        task_format.restore(self.trained.task_state)
        self._open(task_format, self.trained.precision)
        load_learned(self.runner.net, weights)
        self.runner.move(choose_device(self.device))
        return True


def answers_from(task_format: TaskFormat, examples: Sequence[Example], encoded: EncodedRows, outputs: list) -> list[Prediction]:  # type: ignore[type-arg]
    """Return one prediction per example from the outputs of its rows."""
    rows = encoded.by_example(len(examples))
    return [
        task_format.answer(example, [outputs[row] for row in own], [encoded.notes[row] for row in own])
        for example, own in zip(examples, rows, strict=True)
    ]


def dev_score(task: Task, dev: Sequence[Example], answers: Sequence[Prediction]) -> float:
    """Return the ranking metric; minus infinity where it is undefined, as a correlation of a constant is."""
    try:
        value = value_of(make_sample(task, task.metrics[0], dev, [as_answer(task, p.output) for p in answers]))
    except Unavailable:
        return float("-inf")
    return float("-inf") if isnan(value) else float(value)


def labels_unseen(task: Task, train: Sequence[Example]) -> list[str]:
    """Return a warning if some labels cannot be learned because the training data has none of them."""
    answer = KINDS[task.kind].answer
    seen = {label for example in train for label in answer.decisions(example)} if "labels" in answer.needs else task.labels
    missing = [label for label in task.labels if label not in seen]
    if not missing:
        return []
    return [f"{task.name}: the training data has no {', '.join(missing)}; items that have such an answer will be wrong."]


def check_labels(task: Task, learned: Task) -> None:
    """Raise CannotSolve if a diagnostic needs labels that were not learned."""
    extra = [label for label in task.labels if label not in learned.labels]
    if extra:
        raise CannotSolve(f"encoder: {task.path} asks for {', '.join(extra)}, which {learned.path} does not teach.")
