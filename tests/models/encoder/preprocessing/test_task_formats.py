"""Round trips of task formats: words that a tokenizer drops, odd characters, orphan tags, texts that do not fit."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from transformers import AutoConfig

from gluepot.data.examples import load_examples
from gluepot.models import CannotSolve
from gluepot.models.encoder.networks.loading import read_tokenization
from gluepot.models.encoder.preprocessing import cache
from gluepot.models.encoder.preprocessing.tokenization import Tokenization
from gluepot.models.encoder.preprocessing.truncation import keep_around
from gluepot.models.encoder.task_formats import EncodedRows, Floats, make_task_format
from gluepot.models.encoder.task_formats.spans import best_span, find_answer
from gluepot.models.encoder.task_formats.tokens import stretches
from gluepot.models.pretrained import PretrainedSource
from gluepot.models.protocols import Settings
from gluepot.records import Example, Prediction
from gluepot.tasks.declarations import load_suite

POCKET = load_suite("pocket").tasks
Tiny = Callable[[str], str]
TOKENIZERS = ("bert", "roberta", "xlm-roberta")
LETTERS = "aöж😀 é\u200bß\u0301\tÅ\u00ad’«7"
words = st.lists(st.text(LETTERS, max_size=6), min_size=1, max_size=60)
many = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def tokenization_of(tiny: Tiny, name: str) -> Tokenization:
    return read_tokenization(PretrainedSource(tiny(name)), AutoConfig.from_pretrained(tiny(name)), None)


@pytest.fixture(scope="module", params=TOKENIZERS)
def tokenization(request: pytest.FixtureRequest, tiny: Tiny) -> Tokenization:
    return tokenization_of(tiny, request.param)


def fits(encoded: EncodedRows, tokenization: Tokenization) -> bool:
    return all(len(row) <= tokenization.max_length for row in encoded.ids)


@many
@given(tokens=words, data=st.data())
def test_every_word_gets_its_own_tag(tokenization: Tokenization, tokens: list[str], data: st.DataObject) -> None:
    """Perfect outputs give the gold tags, including orphan I- tags, for any words."""
    task = POCKET["entities-da"]
    tags = data.draw(st.lists(st.sampled_from(task.labels), min_size=len(tokens), max_size=len(tokens)))
    example = Example("1", {"tokens": tokens}, tuple(tags))
    task_format = make_task_format(task, Settings())
    assert task_format is not None
    encoded = task_format.encode(tokenization, [example])
    assert fits(encoded, tokenization)
    assert sorted(np.concatenate(encoded.notes).tolist()) == list(range(len(tokens)))
    right = [np.eye(len(task.labels), dtype=np.float32)[gold.astype(int)] * 9 for gold in task_format.gold([example], encoded)]
    assert task_format.answer(example, right, encoded.notes).output == tags


@many
@given(before=st.text(LETTERS, max_size=150), answer=st.text("aöж😀éÅ7", min_size=1, max_size=8), after=st.text(LETTERS, max_size=150))
def test_predicted_span_covers_the_answer(tokenization: Tokenization, before: str, answer: str, after: str) -> None:
    """Perfect outputs give a substring of the passage that covers the answer."""
    context = f"{before} {answer} {after}"
    example = Example("1", {"text": "Hvad?", "context": context, "answer-start": len(before) + 1}, (answer,))
    task_format = make_task_format(POCKET["questions-da"], Settings())
    assert task_format is not None
    encoded = task_format.encode(tokenization, [example])
    assert fits(encoded, tokenization)
    outputs = [gold * 9 - 4 for gold in task_format.gold([example], encoded)]
    output = task_format.answer(example, outputs, encoded.notes).output
    assert output in context
    assert answer in output or not any(flags[1:].any() for flags in task_format.gold([example], encoded))
    if tokenization.max_length > 60 and "\u200b" not in answer and "\u0301" not in answer:
        assert answer in output


@many
@given(text=st.text(LETTERS, max_size=400), first=st.integers(0, 399), second=st.integers(0, 399), long=st.integers(1, 80))
def test_marked_spans_survive_truncation(tokenization: Tokenization, text: str, first: int, second: int, long: int) -> None:
    """Both spans have tokens in the row, and the marks point to tokens of their own."""
    starts = [min(place, max(0, len(text) - 1)) for place in (first, second)]
    inputs: dict[str, Any] = {"text": text}
    for side, start in zip(("first", "second"), starts, strict=True):
        inputs |= {side: text[start : start + long], f"{side}-start": start, f"{side}-end": min(start + long, len(text))}
    task_format = make_task_format(POCKET["coreference-eu"], Settings())
    assert task_format is not None
    encoded = task_format.encode(tokenization, [Example("1", inputs, "true")])
    one, one_end, two, two_end = encoded.marks[0].tolist()
    assert fits(encoded, tokenization)
    assert 0 < one < one_end <= len(encoded.ids[0])
    assert 0 < two < two_end <= len(encoded.ids[0])
    read = tokenization.read([text])[text]
    if len(read):
        place = read.covering(starts[0], inputs["first-end"])[0]
        assert encoded.ids[0][one] == read.ids[place]


@many
@given(length=st.integers(1, 300), room=st.integers(4, 80), data=st.data())
def test_truncation_keeps_the_edges_of_spans(length: int, room: int, data: st.DataObject) -> None:
    spans = []
    for _ in range(2):
        start = data.draw(st.integers(0, length - 1))
        spans.append((start, data.draw(st.integers(start + 1, length))))
    kept = set(keep_around(length, spans, room).tolist())
    assert len(kept) == min(length, room)
    assert all(start in kept and end - 1 in kept for start, end in spans)


@many
@given(length=st.integers(0, 500), room=st.integers(4, 90))
def test_stretches_cover_every_token_once(length: int, room: int) -> None:
    found = stretches(length, room)
    assert found[0][2] == 0
    assert found[-1][3] >= length
    assert all(left[3] == right[2] for left, right in pairwise(found))
    assert all(start <= least <= most <= end and end - start <= room for start, end, least, most in found)


def test_best_span_equals_that_of_exhaustive_search() -> None:
    rng = np.random.default_rng(0)
    output: Floats = rng.normal(size=(18, 2)).astype(np.float32)
    expected = max((float(output[s, 0] + output[e, 1]), s, e) for s in range(1, 18) for e in range(s, 18))
    assert best_span(output) == pytest.approx(expected)


def test_answer_is_located_where_the_data_gives_no_position() -> None:
    assert find_answer(Example("1", {"context": "en kø på en bro", "text": ""}, ("bro",))) == (12, 15)
    assert find_answer(Example("1", {"context": "en kø", "text": ""}, ("bro",))) == (0, 0)


def test_empty_answer_is_chosen_where_it_scores_best() -> None:
    task_format = make_task_format(POCKET["questions-da"], Settings())
    assert task_format is not None
    example = Example("1", {"text": "?", "context": "en kø"}, None)
    output = np.array([[5, 5], [1, 1], [1, 1]], np.float32)
    assert task_format.answer(example, [output], [np.array([[0, 0], [0, 2], [3, 5]], np.int32)]).output == ""


def test_truncated_texts_are_counted(tiny: Tiny) -> None:
    task_format, tokenization = make_task_format(POCKET["stance-sv"], Settings()), tokenization_of(tiny, "bert")
    assert task_format is not None
    encoded = task_format.encode(tokenization, [Example("1", {"text": "kort"}, None), Example("2", {"text": "lång " * 99}, None)])
    assert encoded.cut == {1}


def test_tokenizer_without_offsets_is_refused(tiny: Tiny) -> None:
    tokenization = tokenization_of(tiny, "bert")
    tokenization.fast = False
    for name in ("entities-da", "questions-da", "word-sense-sv", "coreference-eu"):
        task_format = make_task_format(POCKET[name], Settings())
        assert task_format is not None
        with pytest.raises(CannotSolve, match="fast tokenizer"):
            task_format.encode(tokenization, [Example("1", {"tokens": ["a"], "text": "a", "context": "a", "pair": "a"}, None)])


def test_truncation_keeps_the_part_with_the_words_of_the_question(tiny: Tiny) -> None:
    task_format, tokenization = make_task_format(POCKET["idioms-da"], Settings()), tokenization_of(tiny, "bert")
    assert task_format is not None
    option = "a " * 100 + "zq" + " b" * 100
    encoded = task_format.encode(tokenization, [Example("1", {"text": "zq", "options": [option, "c"]}, None)])
    assert tokenization.tokenizer.convert_tokens_to_ids("##q") in encoded.ids[0].tolist()[5:]


def test_labels_missing_from_training_are_reported() -> None:
    from gluepot.models.encoder.adapter import check_labels, labels_unseen

    task = POCKET["stance-sv"]
    assert "negative" in labels_unseen(task, [Example("1", {}, "positive"), Example("2", {}, "neutral")])[0]
    with pytest.raises(CannotSolve, match="does not teach"):
        check_labels(replace(task, labels=["positive", "mixed"]), task)


def test_options_that_differ_only_by_rounding_are_tied() -> None:
    task_format = make_task_format(POCKET["idioms-da"], Settings())
    assert task_format is not None
    outputs = [np.array([[value]], np.float32) for value in (1.0, 1.0 + 1e-7)]
    assert task_format.answer(Example("1", {"options": ["a", "b"]}), outputs, []) == Prediction("1", 0, [0.5, 0.5])


@pytest.mark.parametrize("name", ["stance-sv", "entities-da", "questions-da", "coreference-eu", "idioms-da"])
def test_cache_round_trips_encodings(name: str, tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "LEAST", 1)
    task_format, tokenization = make_task_format(POCKET[name], Settings()), tokenization_of(tiny, "bert")
    assert task_format is not None
    examples = load_examples(POCKET[name], "train")[:9]
    first, second = (cache.encode_cached(task_format, tokenization, examples) for _ in range(2))
    assert len(list(cache.cache_folder().glob("*.npz"))) == 1
    assert (first.owner, first.cut) == (second.owner, second.cut)
    for column in ("ids", "types", "marks", "notes"):
        pairs = zip(getattr(first, column), getattr(second, column), strict=True)
        assert all(one.dtype == other.dtype and one.tolist() == other.tolist() for one, other in pairs)
    cache.encode_cached(task_format, tokenization, examples[1:])
    assert len(list(cache.cache_folder().glob("*.npz"))) == 2
    shorter = Tokenization(tokenization.tokenizer, tokenization.max_length - 1)
    others = [cache.cache_key(task_format, own, examples) for own in (tokenization, shorter, tokenization_of(tiny, "roberta"))]
    assert len(set(others)) == 3
    next(cache.cache_folder().glob("*.npz")).write_bytes(b"broken")
    assert cache.encode_cached(task_format, tokenization, examples).owner == first.owner


@pytest.mark.parametrize(("task", "answered"), [("paraphrase-sv", 5.0), ("word-pairs-eu", 7.0)])
def test_number_is_clipped_to_the_scale_unless_it_may_leave_it(task: str, answered: float) -> None:
    task_format = make_task_format(POCKET[task], Settings())
    assert task_format is not None
    assert task_format.answer(Example("1", {}), [np.array([[7.0]])], []).output == answered
