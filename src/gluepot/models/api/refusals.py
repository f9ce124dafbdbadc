"""Errors of a server as messages with the next step."""

import re
from typing import Any

from gluepot.errors import GluepotError, unknown
from gluepot.models.api.answers import ServerAnswer
from gluepot.models.api.keys import ADDRESSES, KEYS, find_key

TOO_LONG = re.compile(
    r"context.{0,12}(length|size|window)|(longer than|exceeds?) the (max|model|context)|(prompt|input)s? (is|are) too long|too many tokens",
    re.IGNORECASE,
)
"""Messages for a prompt that does not fit, from OpenAI, llama.cpp, vLLM and others; none has a status of its own for it."""

FORBIDDEN = 403
"""Status with which OpenAI refuses log-probabilities from its reasoning models, even with a valid key."""


class RequestRefused(GluepotError):
    """Raised when the server does not accept the request in this form."""


class PromptTooLongError(RequestRefused):
    """Raised when the prompt does not fit into the model."""


class NotFoundError(RequestRefused):
    """Raised when the model or the endpoint does not exist."""


def unreachable(url: str, error: Exception) -> GluepotError:
    why = re.sub(r"\[Errno -?\d+\] ", "", str(error)) or type(error).__name__
    return GluepotError(f"{url}: no server answers there ({why}). Is it running? Try: curl {url}/models")


def refusal(status: int, said: str, url: str, model: str, *, key: bool, models: list[str] | None = None) -> GluepotError:
    """Return the error for a status that retries do not change.

    >>> print(refusal(401, "", "http://h/v1", "m", key=False))
    http://h/v1: the server wants a key (401). Set GLUEPOT_API_KEY in the environment.
    """
    if status == FORBIDDEN and "logprobs" in said:
        return RequestRefused(f"{url}: {status} for {model}: {said}")
    if status in (401, FORBIDDEN) and not key and find_key():
        how = f"--key-for {url}, or {ADDRESSES[0]} in the environment"
        return GluepotError(f"{url}: the server wants a key ({status}). Yours goes only to an address that you name: {how}.")
    if status in (401, FORBIDDEN):
        what = "the server does not take the key" if key else "the server wants a key"
        return GluepotError(f"{url}: {what} ({status}). Set {KEYS[0]} in the environment{' to another' if key else ''}.")
    if status in (404, 405):
        if models and model not in models:
            return NotFoundError(f"{url}: {unknown('model', model, models)}")
        return NotFoundError(f"{url}: nothing there for {model} ({status}): {said} Does the address end in /v1? Try: curl {url}/models")
    if TOO_LONG.search(said):
        return PromptTooLongError(f"{url}: {status} for {model}: {said}")
    return RequestRefused(f"{url}: {status} for {model}: {said}")


def read_models(answer: ServerAnswer) -> list[str]:
    """Return the model names in a server's list of models."""
    try:
        rows: list[dict[str, Any]] = answer.document()["data"]
        return [str(row["id"]) for row in rows]
    except (KeyError, TypeError, ValueError):
        return []
