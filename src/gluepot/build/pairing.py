"""Pairs of occurrences of one word: counting by sense without enumerating them, and sampling."""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from gluepot.build.reading.senses import Occurrence, Relations

TRIES = 40
Pair = tuple[Occurrence, Occurrence]


class SensePairs:
    """Pairs of occurrences of one word in two different sentences."""

    def __init__(self, occurrences: Sequence[Occurrence]) -> None:
        self.counts = Counter(one.sense for one in occurrences)
        together: dict[str, Counter[str]] = defaultdict(Counter)
        for one in occurrences:
            together[one.text][one.sense] += 1
        self.together = [counts for counts in together.values() if sum(counts.values()) > 1]
        self.allowed: set[tuple[str, str]] | None = None

    def same(self) -> int:
        """Return the number of pairs with the same sense."""
        inside = sum(n * (n - 1) // 2 for counts in self.together for n in counts.values())
        return sum(n * (n - 1) // 2 for n in self.counts.values()) - inside

    def different(self, wanted: Callable[[str, str], bool]) -> int:
        """Return the number of pairs with two senses that `wanted` accepts."""
        senses, total = sorted(self.counts), 0
        for number, a in enumerate(senses):
            for b in senses[number + 1 :]:
                if wanted(a, b):
                    total += self.counts[a] * self.counts[b] - sum(counts[a] * counts[b] for counts in self.together)
        return total

    def without_related(self, relations: Relations, drop: bool) -> "SensePairs":
        """Set the allowed pairs of senses, leaving out related ones if `drop`, and return self."""
        senses = sorted(self.counts)
        self.allowed = {(a, b) for a in senses for b in senses if a != b and not (drop and relations.related(a, b))}
        return self

    def draw(self, occurrences: Sequence[Occurrence], most: int, rng: random.Random, once: bool) -> tuple[list[Pair], list[Pair]]:
        """Draw up to `most` pairs of the same sense and of different senses; with `once`, no occurrence is used twice."""
        used: set[int] = set()
        found: tuple[list[Pair], list[Pair]] = [], []
        seen: set[frozenset[int]] = set()
        for _ in range(TRIES * most):
            if min(map(len, found)) >= most:
                break
            a, b = rng.sample(range(len(occurrences)), 2) if len(occurrences) > 1 else (0, 0)
            one, other = occurrences[a], occurrences[b]
            side = found[one.sense != other.sense]
            if len(side) >= most or one.text == other.text or frozenset((a, b)) in seen or (once and {a, b} & used):
                continue
            if one.sense == other.sense or (one.sense, other.sense) in (self.allowed or ()):
                side.append((one, other))
                seen.add(frozenset((a, b)))
                used |= {a, b}
        return found
