"""Loading of transformers models from a folder, the Hub's cache or the Hub, with a clear error for those that are missing."""

import logging
import os
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import Any

from gluepot.errors import GluepotError, nearest
from gluepot.models.names import PLUS, local_path, split_adapter
from gluepot.models.registration import ADAPTERS

OPTION = "--trust-remote-code"
OWN_CODE = f"brings Python code of its own, which is not run unless you trust it: {OPTION}."


@dataclass(frozen=True)
class PretrainedSource:
    """Location of a pretrained model, its revision and its permissions."""

    place: str
    """A folder or a name on the Hub."""
    commit: str | None = None
    trust_remote_code: bool = False
    adapter: "PretrainedSource | None" = None
    """A PEFT adapter on top of it."""

    @property
    def places(self) -> list[str]:
        return [self.place, *(self.adapter.places if self.adapter else [])]

    @property
    def where(self) -> str:
        folder = Path(self.place).expanduser()
        return str(folder) if folder.is_dir() else self.place

    @property
    def pinned(self) -> dict[str, Any]:
        """The commit as an argument of `from_pretrained`."""
        return {"revision": self.commit} if self.commit and self.where == self.place else {}


def find_source(argument: str, commit: str | None = None, *, trust_remote_code: bool = False) -> PretrainedSource:
    """Resolve `PATH|HUB_ID` or `BASE+ADAPTER`; the commits of both are joined likewise."""
    base, upon = split_adapter(argument)
    if not upon or local_path(argument).exists():
        return PretrainedSource(argument, commit, trust_remote_code)
    first, _, second = (commit or "").partition(PLUS)
    return PretrainedSource(base, first or None, trust_remote_code, PretrainedSource(upon, second or None))


def read_config(adapter: str, source: PretrainedSource) -> Any:
    """Load the model's configuration, which also tests whether the model exists; raise GluepotError otherwise."""
    from transformers import AutoConfig

    silence_libraries()
    place, folder = source.place, Path(source.place).expanduser()
    looks_local = folder.exists() or place.startswith((".", "/", "~")) or place.count("/") > 1
    if looks_local and not (folder / "config.json").is_file():
        raise GluepotError(no_model(adapter, place))
    try:
        config = AutoConfig.from_pretrained(source.where, trust_remote_code=source.trust_remote_code, **source.pinned)
    except (OSError, ValueError) as error:
        if not source.trust_remote_code and "trust_remote_code" in str(error):
            raise GluepotError(f"{adapter}: {place} {OWN_CODE}") from error
        if looks_local:
            raise GluepotError(f"{adapter}: {place}: {first_line(error)}") from error
        offline = " (HF_HUB_OFFLINE is set)" if os.environ.get("HF_HUB_OFFLINE") == "1" else ""
        raise GluepotError(
            f"{adapter}: no model {place!r}: there is no such folder, it is not in the hub's cache, and the hub did not give it{offline}. "
            "Check the name, or get the model where there is a network and name its folder."
        ) from error
    if not source.trust_remote_code and "/" in str(getattr(config, "_attn_implementation", None) or ""):
        raise GluepotError(
            f"{adapter}: {place} names compiled code on the hub (attn_implementation), which is not run unless you trust it: {OPTION}."
        )
    return config


def no_model(adapter: str, place: str) -> str:
    """Return the error message for a path that is no model; in a folder of GGUF files it suggests the nearest one."""
    folder, writes = Path(place).expanduser(), ADAPTERS[adapter].tells_likelihoods
    if not folder.exists():
        return f"{adapter}: the {'file' if folder.suffix == '.gguf' else 'folder'} {place} is not there."
    if folder.is_file():
        return f"{adapter}: {place} is a file: name the folder of a Hugging Face model{', or a .gguf file' if writes else ''}."
    found = sorted(file.name for file in folder.glob("*.gguf")) if writes else []
    if found:
        return f"{adapter}: {place} has no config.json. Did you mean {adapter}:{folder / (nearest('model', found) or found[0])}?"
    return f"{adapter}: the folder {place} has no config.json, so it is no Hugging Face model."


def silence_libraries() -> None:
    """Silence the libraries' progress bars, warnings and retry messages on standard error; what matters is reported separately."""
    import transformers
    from tqdm import tqdm

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    tqdm.set_lock(RLock())  # its default is a semaphore, about which Python warns if the process is killed while it exists
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)


def first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
