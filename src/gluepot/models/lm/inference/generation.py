"""Greedy generation of many answers at a time behind a shared prefix, freely or within a grammar."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gluepot.models.lm.inference.memory import BUDGET
from gluepot.models.lm.inference.packing import Layout, Passes
from gluepot.models.lm.inference.prefix import common_length
from gluepot.models.lm.loading.weights import LoadedModel


@dataclass
class GenerationState:
    """An answer being generated."""

    ids: list[int]
    """The prompt."""
    max_tokens: int
    stops: tuple[str, ...] = ()
    matcher: Any = None
    """Gives the tokens that the grammar allows next."""
    written: list[int] = field(default_factory=list)
    text: str = ""
    done: bool = False


class TextGenerator:
    """Runs a batch of prompts until each has its answer."""

    def __init__(self, loaded: LoadedModel) -> None:
        self.loaded, self.passes = loaded, Passes(loaded.model)
        ends = loaded.model.generation_config.eos_token_id
        self.ends = {loaded.tokenizer.eos_token_id, *(ends if isinstance(ends, list) else [ends])} - {None}
        self.grammars: dict[str, Any] = {}
        self.compiler: Any = None

    def matcher(self, schema: str) -> Any:
        """Return a new automaton for a JSON schema."""
        import xgrammar

        if self.compiler is None:
            size = self.loaded.model.config.get_text_config().vocab_size
            self.compiler = xgrammar.GrammarCompiler(xgrammar.TokenizerInfo.from_huggingface(self.loaded.tokenizer, vocab_size=size))
        if schema not in self.grammars:
            self.grammars[schema] = self.compiler.compile_json_schema(schema, any_whitespace=False)
        return xgrammar.GrammarMatcher(self.grammars[schema])

    def run(self, batch: Sequence[GenerationState]) -> None:
        """Run all prompts in one row, then in each step the newest token of every unfinished answer."""
        import torch

        self.passes.pack(BUDGET)
        with torch.inference_mode():
            head = min(common_length([one.ids for one in batch]), *(len(one.ids) - 1 for one in batch))
            prefix = self.passes.prefix
            prefix.keep(batch[0].ids[:head])
            layout, done, last = Layout(len(prefix)), 0, []
            for number, one in enumerate(batch):
                last.append(layout.put(number, one.ids[len(prefix) :], len(prefix)) + len(one.ids) - len(prefix) - 1)
            open_ones = list(enumerate(batch))
            while open_ones:
                states = self.passes.run(layout, last, done, goes_on=True)
                chosen = self._choose([one for _, one in open_ones], self.passes.output.logits(states))
                done, last = len(layout.ids), []
                for (number, one), token in zip(open_ones, chosen, strict=True):
                    if not one.done:
                        last.append(layout.put(number, [token], len(one.ids) + len(one.written) - 1))
                open_ones = [(number, one) for number, one in open_ones if not one.done]
            prefix.leave()

    def _choose(self, batch: Sequence[GenerationState], logits: Any) -> list[int]:
        """Choose the likeliest token for each answer that its grammar allows."""
        for row, one in enumerate(batch):
            if one.matcher is not None:
                _forbid(one.matcher, logits[row : row + 1])
        chosen: list[int] = logits.argmax(-1).tolist()
        for one, token in zip(batch, chosen, strict=True):
            self._take(one, token)
        return chosen

    def _take(self, one: GenerationState, token: int) -> None:
        """Add a token; an answer ends at an end token, at a stop text, when the grammar is satisfied, or at its token limit."""
        if token in self.ends:
            one.done = True
            return
        one.written.append(token)
        one.text = self.loaded.tokenizer.decode(one.written, skip_special_tokens=True)
        if one.matcher is not None:
            one.matcher.accept_token(token)
            one.done = one.matcher.is_terminated() or _complete(one)
        for stop in one.stops:
            before, found, _ = one.text.lstrip().partition(stop)
            if found:
                one.text, one.done = before, True
        one.done = one.done or len(one.written) >= one.max_tokens


def _complete(one: GenerationState) -> bool:
    """Return whether the dictionary is closed: the grammar would still allow spaces."""
    return one.text.rstrip().endswith("]}")


def _forbid(matcher: Any, logits: Any) -> None:
    import xgrammar

    mask = xgrammar.allocate_token_bitmask(1, logits.shape[-1])
    matcher.fill_next_token_bitmask(mask)
    xgrammar.apply_token_bitmask_inplace(logits, mask.to(logits.device))
