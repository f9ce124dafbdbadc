"""Models of transformers by their place: a folder, the hub's cache, or the hub. What is not there gets one sentence."""

import logging
import os
from pathlib import Path
from threading import RLock
from typing import Any

from gluepot.errors import GluepotError

OPTION = "--trust-remote-code"
OWN_CODE = f"brings Python code of its own, which is not run unless you trust it: {OPTION}."


def read_config(adapter: str, place: str, *, trust_remote_code: bool = False) -> Any:
    """The model's configuration, which is also the test of whether the model is there at all."""
    from transformers import AutoConfig

    quieten()
    folder = Path(place).expanduser()
    looks_local = folder.exists() or place.startswith((".", "/", "~")) or place.count("/") > 1
    if looks_local and not (folder / "config.json").is_file():
        what = "has no config.json, so it is no Hugging Face model" if folder.is_dir() else "is not there"
        raise GluepotError(f"{adapter}: the folder {place} {what}.")
    try:
        config = AutoConfig.from_pretrained(where(place), trust_remote_code=trust_remote_code)
    except (OSError, ValueError) as error:
        if not trust_remote_code and "trust_remote_code" in str(error):
            raise GluepotError(f"{adapter}: {place} {OWN_CODE}") from error
        if looks_local:
            raise GluepotError(f"{adapter}: {place}: {first_line(error)}") from error
        offline = " (HF_HUB_OFFLINE is set)" if os.environ.get("HF_HUB_OFFLINE") == "1" else ""
        raise GluepotError(
            f"{adapter}: no model {place!r}: there is no such folder, it is not in the hub's cache, and the hub did not give it{offline}. "
            "Check the name, or get the model where there is a network and name its folder."
        ) from error
    if not trust_remote_code and "/" in str(getattr(config, "_attn_implementation", None) or ""):
        raise GluepotError(
            f"{adapter}: {place} names compiled code on the hub (attn_implementation), which is not run unless you trust it: {OPTION}."
        )
    return config


def where(place: str) -> str:
    folder = Path(place).expanduser()
    return str(folder) if folder.is_dir() else place


def quieten() -> None:
    """No progress bars, warnings or tries again on standard error: what matters is said in a sentence of our own."""
    import transformers
    from tqdm import tqdm

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    tqdm.set_lock(RLock())  # its own is a semaphore, which Python complains of where a process is killed with it
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)


def first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
