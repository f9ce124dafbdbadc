"""Weights and tokenizer of a causal language model: a folder, a GGUF file, or a name on the hub."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gluepot.errors import GluepotError, nearest

LONGEST = 4096
"""Tokens of a prompt where the model itself allows more."""


@dataclass
class Loaded:
    """A model with all that decides how texts become its tokens."""

    model: Any
    tokenizer: Any
    longest: int
    start: list[int]
    """Ids that stand before every text."""

    def encode(self, texts: list[str]) -> list[list[int]]:
        ids = self.tokenizer(texts, add_special_tokens=False)["input_ids"]
        return [one if one[: len(self.start)] == self.start else [*self.start, *one] for one in ids] if self.start else ids

    @property
    def chat(self) -> bool:
        return bool(getattr(self.tokenizer, "chat_template", None))


def load_model(place: str) -> Loaded:
    """In 32 bits on a processor, in the weights' own precision on a graphics card."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    path = Path(place).expanduser()
    where: dict[str, Any] = {}
    if path.suffix == ".gguf":
        if not path.is_file():
            raise GluepotError(f"{place}: there is no such file.")
        place, where = str(path.parent), {"gguf_file": path.name}
    elif path.is_dir():
        place = str(path)
        _refuse_other_folders(path)
    cuda = torch.cuda.is_available()
    try:
        tokenizer = AutoTokenizer.from_pretrained(place, **where)
        model = AutoModelForCausalLM.from_pretrained(place, dtype="auto" if cuda else torch.float32, **where)
    except (OSError, ValueError) as error:
        raise GluepotError(f"lm:{place} cannot be loaded: {str(error).splitlines()[0]}") from error
    model.eval().to("cuda" if cuda else "cpu")
    longest = min(LONGEST, int(getattr(model.config, "max_position_embeddings", LONGEST) or LONGEST))
    return Loaded(model, tokenizer, longest, _start(model, tokenizer))


def _refuse_other_folders(path: Path) -> None:
    if not (path / "config.json").is_file():
        found = sorted(file.name for file in path.glob("*.gguf"))
        hint = f" Did you mean lm:{path / (nearest('model', found) or found[0])}?" if found else ""
        raise GluepotError(f"{path}: no config.json, so no model of transformers.{hint}")


def _start(model: Any, tokenizer: Any) -> list[int]:
    """Gemma is lost without the beginning of a text, which the tokenizer of its GGUF leaves out; others follow their tokenizer."""
    bos = tokenizer.bos_token_id
    if bos is None:
        return []
    wanted = str(model.config.model_type).startswith("gemma") or tokenizer("a")["input_ids"][:1] == [bos]
    return [bos] if wanted else []
