"""The common parameters that a server supports, learned from its errors: none of them is worth failing for."""

import re
from typing import Any

SEED = 4242
SPARE = ("temperature", "seed", "stop")
"""Parameters that can be omitted."""
REFUSED = (
    "unsupported|not supported|unrecognized|unknown|unexpected|extra|not permitted|not allowed|does not support|invalid|only the default"
    "|deprecated|may only be|cannot be used|can't be used|incompatible|not compatible|not available"
)


class Dialect:
    """Parameters sent with every request; initially all of them."""

    def __init__(self) -> None:
        self.room = "max_tokens"
        self.left_out: set[str] = set()

    def parameters(self, max_tokens: int, **more: Any) -> dict[str, Any]:
        """Return the token limit, and the parameters that make an answer reproducible where the server supports them."""
        usual = {self.room: max_tokens, "temperature": 0, "seed": SEED, **more}
        return {name: value for name, value in usual.items() if name not in self.left_out}

    def learn(self, said: str) -> str | None:
        """Adapt to a refusal that concerns a parameter; return the change as a sentence, or None if it concerns something else.

        >>> Dialect().learn("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
        'the server takes max_completion_tokens, not max_tokens.'
        >>> Dialect().learn("Unsupported value: 'temperature' does not support 0 with this model.")
        'the server takes no temperature; answers may vary.'
        >>> Dialect().learn("the prompt is empty")
        """
        if self.room == "max_tokens" and ("max_completion_tokens" in said or self._about("max_tokens", said)):
            self.room = "max_completion_tokens"
            return "the server takes max_completion_tokens, not max_tokens."
        for name in SPARE:
            if name not in self.left_out and self._about(name, said):
                self.left_out.add(name)
                return f"the server takes no {name}{'' if name == 'stop' else '; answers may vary'}."
        if self.room not in self.left_out and self._about(self.room, said):
            self.left_out.add(self.room)
            return "the server takes no limit to an answer's length; answers may be long."
        return None

    def _about(self, name: str, said: str) -> bool:
        """Return whether a refusal names a parameter as unsupported."""
        return bool(re.search(rf"\b{name}\b", said)) and bool(re.search(REFUSED, said, re.IGNORECASE))
