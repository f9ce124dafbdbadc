"""No evaluated item takes part in model selection, across all protocols, splits, searches, resumed runs and cached models."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from gluepot.errors import GluepotError
from gluepot.models import ADAPTERS, AdapterInfo, ModelName
from gluepot.models.protocols import QUICK, Settings, protocol_name
from gluepot.records import Example, Prediction, Source, Suite, Task
from gluepot.runs.evaluation import score_run
from gluepot.runs.pipeline import RunRequest, evaluate_model
from gluepot.runs.prediction.execution.executors import InProcessExecutor
from gluepot.runs.prediction.model_selection.holdout import CHOSEN, LEARNED, hold_out, overlap
from gluepot.runs.prediction.plan import make_plan
from gluepot.runs.storage.manifest import Manifest
from gluepot.runs.storage.store import RunFolder
from gluepot.tasks.declarations import load_suite, load_suites
from gluepot.tasks.formats import READERS

POCKET = load_suite("pocket")
TASK = "stance-sv"
PROTOCOLS = (QUICK, *sorted(protocol_name("suite", suite) for suite in load_suites() if suite.training))
SPLITS = ("test", "dev", "val", "validation", "train")
LOG: list[tuple[str, list[str], list[str]]] = []


class Told(Struct, frozen=True):
    best: float | None
    looks: list[dict[str, float]]
    learned: list[str]
    chosen: list[str]


class Recorder:
    """Adapter trained by protocols like an encoder, which saves its model and records every item it was shown with an answer."""

    def __init__(self, name: str, argument: str, seed: int, settings: Settings) -> None:
        self.settings, self.trained, self.watch, self.seed = settings, None, None, seed

    def fit(self, task: Task, train: Sequence[Example], dev: Sequence[Example]) -> None:
        best = self.settings.learning_rate * self.settings.batch_size if dev else None
        looks = [{"dev_loss": 1.0, "dev_score": best or 0.0}] * 3
        self.trained = Told(best, looks if dev else [], [e.inputs["text"] for e in train], [e.inputs["text"] for e in dev])

    def predict(self, task: Task, examples: Sequence[Example]) -> list[Prediction]:
        LOG.append((task.path, [e.inputs["text"] for e in examples], [*self.trained.learned, *self.trained.chosen]))
        labels = [task.labels[len(example.inputs["text"]) % len(task.labels)] for example in examples]
        return [Prediction(e.id, label, [float(label == one) for one in task.labels]) for e, label in zip(examples, labels, strict=True)]

    def count_cut(self, task: Task, examples: Sequence[Example]) -> int:
        return 0

    def set_checkpoint_folder(self, folder: Path) -> None: ...

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "trained.json").write_text(json.dumps([getattr(self.trained, name) for name in Told.__struct_fields__]))

    def load(self, task: Task, folder: Path) -> bool:
        if not (folder / "trained.json").is_file():
            return False
        self.trained = Told(*json.loads((folder / "trained.json").read_text()))
        return True


@pytest.fixture(scope="module")
def recorder() -> Iterator[ModelName]:
    ADAPTERS.add("recorder", AdapterInfo("recorder", f"{__name__}:Recorder", "Remembers.", tuned=True, trusts=""))
    yield ModelName("recorder")
    del ADAPTERS._things["recorder"]


def kept_by_others(suite: Suite) -> Suite:
    """Return the suite with a diagnostic of the task added, so that trained models are cached."""
    own = suite.tasks[TASK]
    return replace(suite, tasks={**suite.tasks, "again": replace(own, name="again", trained_on=TASK)})


def run(model: ModelName, suite: Suite, protocol: str, split: str, folder: Path) -> Any:
    plan = make_plan(model, suite, tasks=[TASK], split=split, seeds=1, protocol=protocol)
    return evaluate_model(RunRequest(suite, model, plan, RunFolder(folder), resamples=10), InProcessExecutor())


@settings(max_examples=12)
@given(steps=st.lists(st.tuples(st.sampled_from(PROTOCOLS), st.sampled_from(SPLITS), st.booleans()), min_size=2, max_size=4))
def test_no_evaluated_item_takes_part_in_model_selection(
    steps: list[tuple[str, str, bool]], recorder: ModelName, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """All runs of a sequence share one cache; a restarted run has lost its predictions and may find its trained model."""
    place = tmp_path_factory.mktemp("leaks")
    suite = kept_by_others(POCKET)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLUEPOT_CACHE", str(place / "cache"))
        for number, (protocol, split, again) in enumerate(steps):
            folder = place / f"{number}"
            LOG.clear()
            scores = run(recorder, suite, protocol, split, folder)
            if again:
                for part in ("predictions", "trials", "training"):
                    rmtree(folder / part, ignore_errors=True)
                scores = run(recorder, suite, protocol, split, folder)
            assert LOG
            seen = any(set(asked) & set(shown) for _, asked, shown in LOG)
            assert seen == (split == "train")
            primary = [score for score in scores.scores if score.task == TASK]
            assert all((score.unranked == LEARNED) == seen for score in primary)
            assert not any(score.primary for score in primary) or not seen


def test_an_older_run_selected_on_its_own_items_does_not_rank(recorder: ModelName, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLUEPOT_CACHE", str(tmp_path / "cache"))
    run(recorder, POCKET, "superlim", "dev", tmp_path / "run")
    record = tmp_path / "run" / "training" / "seed-0" / f"{TASK}.json"
    honest = json.loads(record.read_text())
    assert honest["chosen_on"] == "train"
    assert score_run(RunFolder(tmp_path / "run"), resamples=10).scores[0].primary
    record.write_text(json.dumps({name: value for name, value in honest.items() if name != "chosen_on"}))
    first = score_run(RunFolder(tmp_path / "run"), resamples=10).scores[0]
    assert (first.unranked, first.primary) == (CHOSEN, False)
    assert RunFolder(tmp_path / "run").read("manifest.json", Manifest).identity.split == "dev"


@pytest.mark.parametrize("adapter", ["ensemble", "predictions"])
def test_rejects_answers_selected_on_their_own_items_under_another_adapter(
    adapter: str, recorder: ModelName, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLUEPOT_CACHE", str(tmp_path / "cache"))
    run(recorder, POCKET, "quick", "dev", tmp_path / "run")
    record = tmp_path / "run" / "training" / "seed-0" / f"{TASK}.json"
    joined = ModelName(adapter, str(tmp_path / "run"))
    assert run(joined, POCKET, "suite", "dev", tmp_path / "honest").scores[0].primary
    record.write_text(json.dumps({**json.loads(record.read_text()), "chosen_on": "dev"}))
    with pytest.raises(GluepotError, match=CHOSEN):
        run(joined, POCKET, "suite", "dev", tmp_path / "laundered")


def test_holds_out_the_same_tenth_every_time_and_keeps_groups_together() -> None:
    task = POCKET.tasks[TASK]
    train = [Example(str(n), {"text": f"{n}"}, "neutral", f"g{n // 7}") for n in range(140)]
    learned, held = hold_out(task, train)
    assert (learned, held) == hold_out(task, train)
    assert len(learned) + len(held) == 140
    assert 14 <= len(held) < 28
    assert not {e.group for e in learned} & {e.group for e in held}
    assert hold_out(task, train[:7]) == (train[:7], [])


def test_splits_of_one_file_are_distinguished_by_their_items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader may take several splits from one file: test items that it withholds from training were not learned from."""
    monkeypatch.setenv("GLUEPOT_DATA", str(tmp_path))
    (tmp_path / "one").mkdir()
    rows = [{"text": f"sats {n}", "label": "neutral", "part": part} for n, part in enumerate(["train"] * 4 + ["dev"] * 2 + ["test"] * 4)]
    (tmp_path / "one" / "all.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    monkeypatch.setitem(READERS._things, "by-part", lambda files, split: (row for row in rows if row["part"] == split))
    files = dict.fromkeys(("train", "dev", "test"), "all.jsonl")
    own = replace(POCKET.tasks[TASK], suite="one", folder="", fields={"text": "text", "target": "label"})
    apart = replace(own, data=Source(files=files, reader="by-part"))
    same = replace(own, data=Source(files=files))
    assert [overlap(apart, "train", apart, split) for split in ("train", "dev", "test")] == [True, False, False]
    assert not overlap(apart, "dev", apart, "test")
    assert overlap(same, "train", same, "test")
    assert overlap(apart, "val", apart, "dev"), "one split by two names"
