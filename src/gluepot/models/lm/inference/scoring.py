"""Likelihoods of options from packed passes: common tokens are run once, nothing is padded, and few logits are computed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gluepot.models.lm.inference.memory import BUDGET
from gluepot.models.lm.inference.packing import Layout, Passes
from gluepot.models.lm.inference.prefix import common_length


@dataclass
class ScoredText:
    """A whole text as tokens, and the start of the part whose likelihood is wanted."""

    ids: list[int]
    start: int


@dataclass
class Branch:
    """A question with its options: shared tokens, then those of each row."""

    rows: list[ScoredText]
    shared: int
    """Number of tokens that all rows begin with."""

    @property
    def common(self) -> list[int]:
        return self.rows[0].ids[: self.shared]

    def size(self, prefix: int) -> int:
        return self.shared - prefix + sum(len(row.ids) - 1 - self.shared for row in self.rows)


def branch(rows: Sequence[ScoredText]) -> Branch:
    """Build a branch; the last token of a text is never part of the input, as nothing is predicted from it."""
    shared = min(common_length([row.ids for row in rows]), *(len(row.ids) - 1 for row in rows))
    return Branch(list(rows), shared)


class PackedScorer:
    """Scores branches behind one shared prefix."""

    def __init__(self, model: Any, budget: int = BUDGET) -> None:
        self.passes, self.budget = Passes(model), budget

    def score(self, branches: Sequence[Branch]) -> list[list[float]]:
        """Return the log-likelihoods of every row, in order."""
        import torch

        head = self._head(branches)
        with torch.inference_mode():
            self.passes.pack(self.budget)
            self.passes.prefix.keep(head)
            parts = [list(self._parts(one)) for one in branches]
            found = iter([logs for batch in self._batches([part for own in parts for part in own]) for logs in self._run(batch)])
            return [[value for _ in own for value in next(found)] for own in parts]

    def _head(self, branches: Sequence[Branch]) -> list[int]:
        """Return the common prefix of all branches, up to the token from which the first answer is predicted."""
        starts = min(min(row.start for row in one.rows) for one in branches)
        length = min(common_length([one.common for one in branches]), starts - 1, *(one.shared for one in branches))
        return branches[0].common[: max(0, length)]

    def _parts(self, one: Branch) -> Iterator[Branch]:
        """Split a question with more options than the budget allows; it is run again for the others."""
        rows: list[ScoredText] = []
        for row in one.rows:
            if rows and Branch([*rows, row], one.shared).size(len(self.passes.prefix)) > self.budget:
                yield Branch(rows, one.shared)
                rows = []
            rows.append(row)
        yield Branch(rows, one.shared)

    def _batches(self, branches: Sequence[Branch]) -> Iterator[list[Branch]]:
        batch: list[Branch] = []
        size = 0
        for one in branches:
            more = one.size(len(self.passes.prefix))
            if batch and size + more > self.budget:
                yield batch
                batch, size = [], 0
            batch.append(one)
            size += more
        if batch:
            yield batch

    def _run(self, batch: Sequence[Branch]) -> Iterator[list[float]]:
        import torch

        layout, wanted = Layout(len(self.passes.prefix)), WantedTokens()
        for number, one in enumerate(batch):
            wanted.add(layout, number, one)
        places = sorted(set(wanted.places))
        states = self.passes.run(layout, places)
        self.passes.prefix.leave()
        at = {place: number for number, place in enumerate(places)}
        rows, tokens = (torch.tensor(own, device=states.device) for own in ([at[place] for place in wanted.places], wanted.tokens))
        values = self.passes.output.log_likelihoods(states, rows, tokens).tolist()
        ends = iter(sum(values[start:end]) for start, end in wanted.spans)
        for one in batch:
            yield [next(ends) for _ in one.rows]


class WantedTokens:
    """Places of a pass and the tokens whose likelihoods are wanted there, grouped into rows."""

    def __init__(self) -> None:
        self.places: list[int] = []
        self.tokens: list[int] = []
        self.spans: list[tuple[int, int]] = []

    def add(self, layout: Layout, group: int, one: Branch) -> None:
        base = layout.put(group, one.common[layout.prefix :], layout.prefix)
        for number, row in enumerate(one.rows):
            own = layout.put(group, row.ids[one.shared : -1], one.shared, number)
            begin = len(self.places)
            for before in range(row.start - 1, len(row.ids) - 1):
                self.places.append(base + before - layout.prefix if before < one.shared else own + before - one.shared)
            self.tokens += row.ids[row.start :]
            self.spans.append((begin, len(self.places)))
