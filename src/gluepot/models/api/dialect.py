"""Which of the usual parameters a server takes, learned from its refusals: none of them is worth giving up for."""

import re
from typing import Any

SEED = 4242
SPARE = ("temperature", "seed", "stop")
"""What an answer can be asked for without."""
REFUSED = (
    "unsupported|not supported|unrecognized|unknown|unexpected|extra|not permitted|not allowed|does not support|invalid|only the default"
    "|deprecated|may only be|cannot be used|can't be used|incompatible|not compatible|not available"
)


class Dialect:
    """What is sent with every request; it begins with all of it."""

    def __init__(self) -> None:
        self.room = "max_tokens"
        self.left_out: set[str] = set()

    def parameters(self, max_tokens: int, **more: Any) -> dict[str, Any]:
        """Room for the answer, and what makes it repeatable where the server takes that."""
        usual = {self.room: max_tokens, "temperature": 0, "seed": SEED, **more}
        return {name: value for name, value in usual.items() if name not in self.left_out}

    def learn(self, said: str) -> str | None:
        """What is done otherwise from now on, as a sentence, if a refusal is about one of the parameters; None if it is not.

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
        """Whether a refusal names a parameter as one that is not taken."""
        return bool(re.search(rf"\b{name}\b", said)) and bool(re.search(REFUSED, said, re.IGNORECASE))
