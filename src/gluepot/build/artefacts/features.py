"""Features for artefact rules by task kind: lengths, overlap, words, position and length of options."""

import re
from collections.abc import Callable, Iterator

from rapidfuzz import fuzz

from gluepot.build.artefacts.halves import HalfModel, OptionsModel
from gluepot.build.artefacts.rules import BestOption, OneWord, Rule, SameValue, Threshold
from gluepot.records import Example
from gluepot.tasks import Kind

_WORD = re.compile(r"\w+")


def words(text: object) -> list[str]:
    """
    >>> words("Katten satt, på mattan.")
    ['katten', 'satt', 'på', 'mattan']
    """
    return _WORD.findall(str(text).casefold())


def jaccard(a: object, b: object) -> float:
    """Return the Jaccard similarity of the words of two texts.

    >>> jaccard("Katten satt", "katten sov")
    0.3333333333333333
    """
    ours, theirs = set(words(a)), set(words(b))
    return len(ours & theirs) / len(ours | theirs) if ours | theirs else 1.0


def rules_for(kind: Kind, inputs: set[str]) -> Iterator[Rule]:
    """Yield the rules for a task kind; `inputs` are the fields present in all items."""
    if kind.answer.of_options and kind.answer.categorical:
        yield from _option_rules(kind)
    elif kind.answer.categorical and not kind.answer.per_token:
        yield from _label_rules(kind, [name for name in kind.texts if name in inputs], inputs)


def _label_rules(kind: Kind, texts: list[str], inputs: set[str]) -> Iterator[Rule]:
    for name in texts:
        yield Threshold(f"length of {name}", _length(name))
    if len(texts) == 2:
        first, second = texts
        yield Threshold("difference in length", lambda example: _length(first)(example) - _length(second)(example))
        yield Threshold("overlap", lambda example: jaccard(example.inputs[first], example.inputs[second]))
    if {"first", "second"} <= inputs:
        yield Threshold("similarity", lambda example: fuzz.ratio(*_spans(example)))
        yield Threshold("distance", lambda example: abs(example.inputs["second-start"] - example.inputs["first-start"]))
        yield SameValue("word identity", lambda example: _spans(example)[1])
    if "word" in inputs:
        yield SameValue("word identity", lambda example: str(example.inputs.get("word", "")).casefold())
    elif "start" in inputs:
        yield SameValue(
            "word identity", lambda example: str(example.inputs["text"])[example.inputs["start"] : example.inputs["end"]].casefold()
        )
    for name in texts:
        yield OneWord(f"one word of {name}", _words_of(name))
    if len(texts) == 2:
        for name in texts:
            yield HalfModel(f"{name} only (tfidf-svm)", name)


def _spans(example: Example) -> tuple[str, str]:
    return str(example.inputs["first"]).casefold(), str(example.inputs["second"]).casefold()


def _option_rules(kind: Kind) -> Iterator[Rule]:
    yield SameValue("answer position", lambda example: len(example.inputs["options"]))
    yield BestOption("longest option", lambda _, option: len(option))
    yield BestOption("shortest option", lambda _, option: -len(option))
    yield BestOption("option with most overlap", lambda example, option: jaccard(option, _asked(kind, example)))
    yield OptionsModel("options only (tfidf-svm)", kind)


def _asked(kind: Kind, example: Example) -> str:
    return " ".join(str(example.inputs.get(name, "")) for name in kind.texts)


def _length(name: str) -> Callable[[Example], float]:
    return lambda example: len(str(example.inputs.get(name, "")))


def _words_of(name: str) -> Callable[[Example], list[str]]:
    return lambda example: words(example.inputs.get(name, ""))
