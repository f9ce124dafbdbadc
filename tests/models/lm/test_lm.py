"""`lm:` with a tiny random model: packed likelihoods equal plain ones, every kind of task is answered, long prompts drop shots."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("transformers", reason="transformers is not installed")

from tests.models.lm.tiny import make_tiny  # noqa: E402

from gluepot.data.examples import load_examples  # noqa: E402
from gluepot.errors import WrongUse  # noqa: E402
from gluepot.models import make_adapter, parse_model  # noqa: E402
from gluepot.models.lm.inference import packing  # noqa: E402
from gluepot.models.lm.inference.attention import attend, tiles_of  # noqa: E402
from gluepot.models.lm.inference.generation import GenerationState, TextGenerator  # noqa: E402
from gluepot.models.lm.inference.prefix import common_length  # noqa: E402
from gluepot.models.lm.inference.scoring import PackedScorer, ScoredText, branch  # noqa: E402
from gluepot.models.lm.loading.weights import load_model  # noqa: E402
from gluepot.models.precision import rejection_reason  # noqa: E402
from gluepot.models.precision_probe import get_trial  # noqa: E402
from gluepot.models.prompted import THOUGHTFUL, PromptSettings  # noqa: E402
from gluepot.models.prompts.asking import prompt_of  # noqa: E402
from gluepot.records import Prediction, Task  # noqa: E402
from gluepot.runs.prediction.resuming import validate_predictions  # noqa: E402
from gluepot.tasks.declarations import load_suite  # noqa: E402

POCKET = load_suite("pocket")
NAMES = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny(tmp_path_factory.mktemp("tiny"))


def plain(model: Any, row: ScoredText) -> float:
    """Compute the log-likelihood of one text alone, from all logits and without a cache."""
    with torch.inference_mode():
        logs = model(torch.tensor([row.ids])).logits[0].log_softmax(-1)
    return sum(float(logs[place - 1, row.ids[place]]) for place in range(row.start, len(row.ids)))


@pytest.mark.parametrize("budget", [1, 40, 10_000])
def test_packed_likelihoods_equal_plain_ones(tiny: Path, budget: int) -> None:
    loaded = load_model(str(tiny))
    rows = []
    for word in ("bil", "båt", "en lång fråga"):
        context = f"Frågor och svar.\n\nFråga: {word}\nSvar:"
        before, *wholes = loaded.encode([context, *(f"{context} {option}" for option in ("ja", "jaha", "nej", "x"))])
        rows.append([ScoredText(whole, len(before)) for whole in wholes])
    found = PackedScorer(loaded.model, budget).score([branch(one) for one in rows])
    assert [value for one in found for value in one] == pytest.approx([plain(loaded.model, row) for one in rows for row in one], abs=1e-4)


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_half_precision_gives_nearly_the_same_likelihoods(tiny: Path, precision: str, own_cache: Path) -> None:
    if why := rejection_reason(get_trial(precision)):
        pytest.skip(f"needs {precision}, which was tried here: {why}")
    found = []
    for own in ("fp32", precision):
        loaded = load_model(str(tiny), own)
        rows = [ScoredText(loaded.encode([f"en början och {option}"])[0], 14) for option in ("ja", "nej då")]
        found.append(PackedScorer(loaded.model).score([branch(rows)])[0])
        assert {weight.dtype for weight in loaded.model.parameters()} == {getattr(torch, NAMES[own])}
    assert found[1] == pytest.approx(found[0], rel=0.02)
    assert found[1] != found[0]


def test_attention_by_small_tiles_gives_the_same_likelihoods(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = load_model(str(tiny))
    rows = [[ScoredText(loaded.encode([f"en början {n} {option}"])[0], 12) for option in ("ja", "nej då")] for n in range(7)]
    seen: list[list[tuple[int, int]]] = []

    def small(groups: list[int]) -> list[tuple[int, int]]:
        seen.append(tiles_of(groups, tile=15))
        return seen[-1]

    monkeypatch.setattr(packing, "tiles_of", small)
    found = PackedScorer(loaded.model).score([branch(one) for one in rows])
    assert [value for one in found for value in one] == pytest.approx([plain(loaded.model, row) for one in rows for row in one], abs=1e-4)
    assert len(seen[-1]) > 2


@pytest.mark.parametrize("prefix", [1, 37, 200])
def test_tiled_attention_equals_masked_attention_to_rounding(prefix: int) -> None:
    torch.manual_seed(0)
    groups = [0] * 20 + [1] * 3 + [2] * 70 + [3] * 11
    new, tiles = len(groups), tiles_of(groups, tile=15)
    query, key, value = (torch.randn(1, heads, length, 16) for heads, length in ((6, new), (2, prefix + new), (2, prefix + new)))
    order, group = torch.arange(new), torch.tensor(groups)
    hidden = (group[:, None] != group[None]) | (order[None] > order[:, None])
    mask = torch.cat([torch.zeros(new, prefix), torch.zeros(new, new).masked_fill(hidden, torch.finfo(torch.float).min)], 1)[None, None]
    module = SimpleNamespace(num_key_value_groups=3, is_causal=False)
    apart, _ = attend(module, query, key, value, mask, tiles, scaling=0.3)
    plain, _ = attend(module, query, key, value, mask, scaling=0.3)
    assert apart.shape == plain.shape == (1, new, 6, 16)
    assert apart.numpy() == pytest.approx(plain.numpy(), abs=1e-5)


def test_batched_generation_equals_that_of_transformers_one_by_one(tiny: Path) -> None:
    loaded = load_model(str(tiny))
    for head in ("samma början: ", "en annan: "):
        prompts = loaded.encode([head + end for end in ("a", "en längre fråga om något", "b c")])
        batch = [GenerationState(ids, most) for ids, most in zip(prompts, (3, 12, 7), strict=True)]
        writer = TextGenerator(loaded)
        writer.run(batch)
        for one in batch:
            whole = loaded.model.generate(
                torch.tensor([one.ids]), attention_mask=torch.ones(1, len(one.ids)), max_new_tokens=one.max_tokens, do_sample=False
            )
            ends = [token for token in whole[0, len(one.ids) :].tolist() if token not in writer.ends]
            assert one.written == ends


def test_cached_prefix_is_reused_and_replaced_by_that_of_another_prompt(tiny: Path) -> None:
    loaded = load_model(str(tiny))
    packed = PackedScorer(loaded.model)
    for head in ("samma början ", "samma början ", "en annan "):
        rows = [ScoredText(loaded.encode([f"{head}{n} och {option}"])[0], len(head) + 4) for n in range(2) for option in "ab"]
        found = packed.score([branch(rows[:2]), branch(rows[2:])])
        assert [v for one in found for v in one] == pytest.approx([plain(loaded.model, row) for row in rows], abs=1e-4)


def answers(tiny: Path, task: Task, **options: Any) -> list[Prediction]:
    adapter = make_adapter(parse_model(f"lm:{tiny}", **options))
    adapter.fit(task, load_examples(task, "train"), [])
    items = load_examples(task, "test")[:6]
    at_once = validate_predictions(task, items, adapter.predict(task, items))
    apart = [prediction for item in items[::-1] for prediction in adapter.predict(task, [item])][::-1]
    assert [p.output for p in at_once] == [p.output for p in apart]
    return at_once


WAYS = {"choice": "first-token", "cloze": "likelihood", "multi-choice": "first-token", "token-labelling": "constrained"}


@pytest.mark.parametrize("task", POCKET.tasks.values(), ids=lambda t: t.name)
def test_every_kind_of_task_is_answered_and_the_method_is_recorded(tiny: Path, task: Task) -> None:
    if task.kind == "token-labelling":
        pytest.importorskip("xgrammar", reason="xgrammar is not installed")
    labelled = WAYS.get(task.kind, "first-token" if task.labels else "text")
    for prediction in answers(tiny, task, shots=1):
        assert prediction.said is not None
        assert prediction.said.way == labelled
        assert prediction.said.tokens > 0


def test_answer_method_can_be_requested(tiny: Path) -> None:
    task = POCKET.tasks["stance-sv"]
    assert {p.said.way for p in answers(tiny, task, answers="likelihood") if p.said} == {"likelihood"}
    unread = [p.said for p in answers(tiny, task, answers="text") if p.said]
    assert {said.way for said in unread} == {"text"}
    assert not any(said.read for said in unread)  # a random model generates nothing sensible


TEMPLATE = "{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}[assistant] <think>\n"


def test_reasoning_chat_template_gets_a_thinking_budget_and_text_answers(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = POCKET.tasks["stance-sv"]
    adapter: Any = make_adapter(parse_model(f"lm:{tiny}", shots=1))
    monkeypatch.setattr(adapter.engine.loaded.tokenizer, "chat_template", TEMPLATE)
    adapter.engine.chat = True
    adapter.fit(task, load_examples(task, "train"), [])
    assert adapter.thinking == THOUGHTFUL
    adapter.prompt_settings = PromptSettings(shots=1, thinking=20)
    said = [p.said for p in adapter.predict(task, load_examples(task, "test")[:2])]
    assert {one.way for one in said} == {"text"}
    assert all(one.written > prompt_of(task).max_tokens and one.thought > 0 and one.text == "" and not one.read for one in said)


def test_thinking_and_likelihoods_exclude_each_other() -> None:
    with pytest.raises(WrongUse, match="answers in text"):
        PromptSettings(answers="first-token", thinking=100)


def test_long_prompts_drop_their_oldest_shots_and_predictions_record_it(tiny: Path) -> None:
    task = POCKET.tasks["stance-sv"]
    adapter: Any = make_adapter(parse_model(f"lm:{tiny}", shots=6))
    adapter.engine.loaded = replace(adapter.engine.loaded, longest=400)
    adapter.fit(task, load_examples(task, "train"), [])
    predictions = adapter.predict(task, load_examples(task, "test")[:4])
    assert all(0 < p.said.cut < 6 for p in predictions)


def test_common_length_of_one_text_is_its_own() -> None:
    assert common_length([[1, 2]]) == 2
    assert common_length([[1, 2], [1, 2, 3]]) == 2
