"""Parsing of a server's responses: text, likeliest first tokens where it returns them, prompt likelihoods where it echoes prompts."""

from collections.abc import Mapping, Sequence
from typing import Any

from gluepot.errors import GluepotError
from gluepot.models.api.cache import ApiAnswer

SPACE = "\u2581"
"""Space marker of some tokenizers."""


def read_answer(record: Any, key: str, *, echoed: bool = False) -> ApiAnswer:
    """Parse a response; `echoed` if prompts were to be echoed with log-probabilities, the first being the common prefix of all."""
    try:
        usage = record.get("usage") or {}
        tokens, written = int(usage.get("prompt_tokens", 0)), int(usage.get("completion_tokens", 0))
        if echoed:
            return ApiAnswer(key, "", tokens, written, likelihoods=_likelihoods(record["choices"], tokens))
        choice = record["choices"][0]
        message = choice.get("message") or {}
        text = message.get("content") if message else choice["text"]
        thinking = _thoughts(message)
        said = f"<think>{thinking}</think>{text or ''}" if thinking else text or ""
        firsts = None if thinking else _firsts(choice.get("logprobs"))
        return ApiAnswer(key, said, tokens, written, firsts, thinking=_still_thinking(choice, usage, thinking, text or ""))
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise GluepotError("the server's answer is not in the form of the OpenAI API.") from error


def _thoughts(message: Mapping[str, Any]) -> str:
    """Return the reasoning under its common names: one of vLLM and DeepSeek, the other of OpenRouter and later vLLM."""
    found = message.get("reasoning_content") or message.get("reasoning")
    return found if isinstance(found, str) else ""


def _still_thinking(choice: Mapping[str, Any], usage: Mapping[str, Any], thinking: str, text: str) -> bool:
    """Return whether the tokens ran out before the answer began; some servers count reasoning tokens without showing them."""
    if choice.get("finish_reason") != "length":
        return False
    hidden = (usage.get("completion_tokens_details") or {}).get("reasoning_tokens")
    opened = "<think>" in text and "</think>" not in text
    return opened or (not text.strip() and bool(thinking or hidden))


def _firsts(logs: Any) -> dict[str, float] | None:
    """Return the log-probabilities of the likeliest first tokens, in the format of chats or of completions."""
    if not logs:
        return None
    if logs.get("content"):
        rows = logs["content"][0].get("top_logprobs") or []
        return {_token(row): float(row["logprob"]) for row in reversed(rows)} or None
    tops = logs.get("top_logprobs")
    return {token.replace(SPACE, " "): float(value) for token, value in tops[0].items()} if tops and tops[0] else None


def _token(row: Mapping[str, Any]) -> str:
    """Decode a token from its bytes where given: a token may be half a letter, and all halves look the same as text."""
    known = row.get("bytes")
    return bytes(known).decode(errors="replace") if known else str(row["token"]).replace(SPACE, " ")


def _likelihoods(choices: Sequence[Any], tokens: int) -> list[float] | None:
    """Sum the log-probabilities of each prompt beyond the first one; None where the prompts were not echoed.

    A server may add the token that it had to generate; its count of prompt tokens shows this.
    """
    rows = [_token_logs(choice.get("logprobs") or {}) for choice in sorted(choices, key=lambda choice: choice.get("index", 0))]
    more, rest = divmod(sum(map(len, rows)) - tokens, len(rows))
    if rest or more not in (0, 1) or not all(rows):
        return None
    first, *others = [row[: len(row) - more] for row in rows]
    return [sum(row[min(len(first), len(row) - 1) :]) for row in others]


def _token_logs(logs: Mapping[str, Any]) -> list[float]:
    """Return the log-probabilities of the tokens; the very first has none, as nothing predicts it, and counts 0."""
    found = [row["logprob"] for row in logs["content"]] if logs.get("content") else logs.get("token_logprobs") or []
    return [float(value or 0.0) for value in found]


def first_logs(firsts: Mapping[str, float], texts: Sequence[str]) -> list[float] | None:
    """Return the log-probability of each text's first token; None where one is not among those returned, or two texts share it.

    A server does not say how it tokenizes a text, so the longest token that the text begins with counts, if it is the whole text or
    longer than a letter: a single letter may begin anything.

    >>> first_logs({" ja": -0.5, " ne": -1.5, " n": -9.0}, [" ja", " nej"])
    [-0.5, -1.5]
    >>> first_logs({" ja": -0.5, " n": -9.0}, [" ja", " nej"])
    """
    found = []
    for text in texts:
        fitting = [token for token in firsts if text.startswith(token) and (len(token.strip()) > 1 or token.strip() == text.strip() != "")]
        if not fitting:
            return None
        found.append(max(fitting, key=len))
    return [firsts[token] for token in found] if len(set(found)) == len(found) else None
