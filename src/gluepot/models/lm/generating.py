"""Greedy answers by the batch after one shared prefix, freely or within a grammar."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gluepot.models.lm.loading import Loaded
from gluepot.models.lm.scoring import common_length


@dataclass
class Writing:
    """An answer that grows."""

    ids: list[int]
    """The prompt."""
    max_tokens: int
    stops: tuple[str, ...] = ()
    matcher: Any = None
    """Says which tokens the grammar allows next."""
    written: list[int] = field(default_factory=list)
    text: str = ""
    done: bool = False


class Writer:
    """Runs a batch of prompts until each has its answer."""

    def __init__(self, loaded: Loaded) -> None:
        self.loaded = loaded
        ends = loaded.model.generation_config.eos_token_id
        self.ends = {loaded.tokenizer.eos_token_id, *(ends if isinstance(ends, list) else [ends])} - {None}
        self.grammars: dict[str, Any] = {}
        self.compiler: Any = None

    def matcher(self, schema: str) -> Any:
        """A fresh automaton for a JSON schema."""
        import xgrammar

        if self.compiler is None:
            size = self.loaded.model.config.vocab_size
            self.compiler = xgrammar.GrammarCompiler(xgrammar.TokenizerInfo.from_huggingface(self.loaded.tokenizer, vocab_size=size))
        if schema not in self.grammars:
            self.grammars[schema] = self.compiler.compile_json_schema(schema, any_whitespace=False)
        return xgrammar.GrammarMatcher(self.grammars[schema])

    def run(self, batch: Sequence[Writing]) -> None:
        """Prompts are padded on the left behind what they share, so that all answers begin in one column."""
        import torch
        from transformers import DynamicCache

        model, device = self.loaded.model, self.loaded.model.device
        shared = min(common_length([one.ids for one in batch]), *(len(one.ids) - 1 for one in batch))
        longest = max(len(one.ids) for one in batch)
        with torch.inference_mode():
            cache = DynamicCache()
            if shared:
                model.base_model(input_ids=torch.tensor([batch[0].ids[:shared]], device=device), past_key_values=cache, use_cache=True)
                cache.batch_repeat_interleave(len(batch))
            gaps = [longest - len(one.ids) for one in batch]
            pad = min(self.ends, default=0)
            ids = torch.tensor([[pad] * gap + one.ids[shared:] for gap, one in zip(gaps, batch, strict=True)], device=device)
            mask = torch.tensor(
                [[1] * shared + [0] * gap + [1] * (len(one.ids) - shared) for gap, one in zip(gaps, batch, strict=True)], device=device
            )
            positions = (mask.cumsum(-1) - 1).clamp(min=0)[:, shared:]
            for _ in range(max(one.max_tokens for one in batch)):
                states = model.base_model(input_ids=ids, attention_mask=mask, position_ids=positions, past_key_values=cache, use_cache=True)
                logits = model.lm_head(states.last_hidden_state[:, -1]).float()
                chosen = self._choose(batch, logits)
                if all(one.done for one in batch):
                    return
                ids = torch.tensor(chosen, device=device)[:, None]
                mask = torch.cat([mask, torch.ones_like(ids)], 1)
                positions = positions[:, -1:] + 1

    def _choose(self, batch: Sequence[Writing], logits: Any) -> list[int]:
        chosen = []
        for row, one in enumerate(batch):
            if one.done:
                chosen.append(0)
                continue
            if one.matcher is not None:
                _forbid(one.matcher, logits[row : row + 1])
            token = int(logits[row].argmax())
            chosen.append(token)
            self._take(one, token)
        return chosen

    def _take(self, one: Writing, token: int) -> None:
        """Add a token; the answer ends with the text, at a stop, when the grammar is satisfied, or when there is no more room."""
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


def _complete(one: Writing) -> bool:
    """Whether the dictionary is closed: the grammar would still allow spaces."""
    return one.text.rstrip().endswith("]}")


def _forbid(matcher: Any, logits: Any) -> None:
    import xgrammar

    mask = xgrammar.allocate_token_bitmask(1, logits.shape[-1])
    matcher.fill_next_token_bitmask(mask)
    xgrammar.apply_token_bitmask_inplace(logits, mask.to(logits.device))
