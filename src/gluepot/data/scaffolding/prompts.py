"""Plain default prompts by kind of task; a benchmark's own prompts are in its language."""

from typing import Any

from gluepot.tasks import Kind

_LAYOUTS = {
    "classification": "Text: {text}",
    "pair-classification": "Text 1: {text}\nText 2: {pair}",
    "word-in-context": "Text 1: {text}\nText 2: {pair}\nWord: {word}",
    "coreference": "Text: {marked}\nSpans: {first}, {second}",
    "regression": "Text: {text}",
    "token-labelling": "Sentence: {text}",
    "choice": "Question: {text}\n{options}",
    "multi-choice": "Text: {context}\nQuestion: {text}\nPossible answer: {option}",
    "cloze": "Text: {context}\nSentence: {text}",
    "span-answer": "Text: {text}\nQuestion: {question}",
    "analogy": "{a} : {b} :: {c} :",
    "word-pair": "Word 1: {first}\nWord 2: {second}",
    "summary": "Text: {text}",
}
"""Layouts of an item, up to the answer."""
_REQUESTS = {
    "choice": "Answer with the letter only.",
    "multi-choice": "Is this answer right? Answer true or false.",
    "summary": "Summarise the text in a few sentences.",
}
_TOKENS = {"token-labelling": 128, "summary": 128, "span-answer": 32, "cloze": 24}


def plain_prompt(kind: Kind, labels: list[str], scale: tuple[float, float] | None, *, pair: bool) -> dict[str, Any] | None:
    """Return a prompt for a built-in kind, or None for one from a plug-in."""
    layout = _LAYOUTS.get(kind.name)
    if layout is None:
        return None
    if pair and kind.name == "regression":
        layout = "Text 1: {text}\nText 2: {pair}"
    return {
        "base": f"{layout}\nAnswer: {{label}}",
        "instruct": f"{layout}\n\n{_request(kind, labels, scale)}",
        "shots": 4,
        "max-tokens": _TOKENS.get(kind.name, 10),
    }


def _request(kind: Kind, labels: list[str], scale: tuple[float, float] | None) -> str:
    if scale is not None:
        return f"Answer with a number from {scale[0]:g} to {scale[1]:g} only."
    if kind.answer.per_token:
        return "Answer with a JSON object: each type of entity with the list of its entities."
    if labels:
        return f"Answer with one of these only: {', '.join(_escaped(label) for label in labels)}."
    return _REQUESTS.get(kind.name, "Answer with the answer only.")


def _escaped(label: str) -> str:
    return label.replace("{", "{{").replace("}", "}}")
