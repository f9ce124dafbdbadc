"""Copies of a language model on several GPUs, each with a share of the requests."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING

from gluepot.models.prompted import PromptRequest, Reply

if TYPE_CHECKING:
    from gluepot.models.lm.adapter import LocalEngine


class ParallelEngine:
    """Engine of several engines, one thread each; neighbouring requests stay together, as they share a prefix."""

    scores = True

    def __init__(self, engines: "Sequence[LocalEngine]") -> None:
        self.engines = list(engines)
        self.chat, self.constrains = self.engines[0].chat, self.engines[0].constrains

    @property
    def thinks(self) -> bool:
        return self.engines[0].thinks

    def score(self, requests: Sequence[PromptRequest], *, first: bool) -> list[Reply]:
        return self._each(requests, lambda engine, part: engine.score(part, first=first))

    def write(self, requests: Sequence[PromptRequest]) -> Iterator[Reply]:
        return iter(self._each(requests, lambda engine, part: list(engine.write(part))))

    def _each(
        self, requests: Sequence[PromptRequest], work: "Callable[[LocalEngine, Sequence[PromptRequest]], list[Reply]]"
    ) -> list[Reply]:
        parts = [part for part in even_parts(requests, len(self.engines)) if part]
        with ThreadPoolExecutor(len(self.engines)) as pool:
            found = list(pool.map(work, self.engines, parts))
        return [reply for part in found for reply in part]


def even_parts(requests: Sequence[PromptRequest], count: int) -> list[Sequence[PromptRequest]]:
    """Split into `count` consecutive parts whose lengths differ by at most one.

    >>> even_parts("abcde", 2)
    ['ab', 'cde']
    """
    ends = [len(requests) * number // count for number in range(count + 1)]
    return [requests[start:end] for start, end in pairwise(ends)]
