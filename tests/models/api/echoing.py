"""Server that echoes prompts with their log-probabilities, which llama.cpp does not; the values come from a model in this process."""

import json
from typing import Any

from tests.models.api.faulty import Faulty


class Echoing(Faulty):
    """OpenAI-style completions of a model loaded in this process; `more` tokens are appended to each, as some servers do."""

    def __init__(self, loaded: Any, more: int) -> None:
        super().__init__()
        self.loaded, self.more = loaded, more

    def make(self, path: str, body: bytes) -> bytes:
        prompts = json.loads(body)["prompt"]
        rows = [self._logs(prompt) for prompt in prompts]
        choices = [
            {"index": place, "text": prompt, "logprobs": {"token_logprobs": [None, *logs, *[-1.0] * self.more]}}
            for place, (prompt, logs) in enumerate(zip(prompts, rows, strict=True))
        ]
        return json.dumps({"choices": choices[::-1], "usage": {"prompt_tokens": sum(len(logs) + 1 for logs in rows)}}).encode()

    def _logs(self, prompt: str) -> list[float]:
        """Return the log-probability of every token but the first."""
        import torch

        ids = self.loaded.encode([prompt])[0]
        with self.lock, torch.inference_mode():
            logs = self.loaded.model(torch.tensor([ids])).logits[0].log_softmax(-1)
        return [float(logs[place - 1, ids[place]]) for place in range(1, len(ids))]
