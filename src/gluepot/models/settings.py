"""Adapter settings with their types and bounds, declared once for the command line, the library and manifests."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TypeVar

from gluepot.errors import WrongUse, unknown

Value = bool | int | float | str
T = TypeVar("T", bound=Value)
MOST = 10**9
YEAR = 366 * 24 * 3600
TYPES: dict[type[Value], str] = {bool: "yes or no", int: "a whole number", float: "a number", str: "a text"}
LONGEST = 30
"""Maximum characters of user input repeated in a message."""


@dataclass(frozen=True)
class AdapterSetting:
    """A keyword argument of an adapter's class, an option of `evaluate`, and a key in a manifest."""

    name: str
    help: str = ""
    """Help text on the command line; empty for settings that only the runner sets."""
    value_type: type[Value] = str
    """bool, int, float or str."""
    least: float = 0
    most: float = MOST
    choices: tuple[str, ...] = ()
    synonyms: tuple[tuple[str, str], ...] = ()
    """Synonyms of choices, as used by other tools."""
    metavar: str = "N"
    expects: str = ""
    """Description of a valid value where type and bounds are not enough: "an amount, such as 2.50"."""
    valid: Callable[[Value], bool] | None = None
    named: bool = True
    """Whether it is part of the model's name: not if predictions do not depend on it, or if a run stores it beside the name."""
    grants: bool = False
    """Whether it permits something that requires consent: no manifest can set it, only the user who repeats a run."""
    former: str = ""
    """Its name in earlier versions."""

    @property
    def option(self) -> str:
        return option_of(self.name)

    def read(self, text: str) -> Value:
        """Parse a value from the command line; raise WrongUse with the expected form."""
        try:
            return self.check(self.value_type(text))
        except ValueError:
            raise WrongUse(self._refusal(text)) from None

    def check(self, value: Value) -> Value:
        """Return the value if the setting accepts it; raise WrongUse otherwise."""
        number = float(value) if self.value_type is float and type(value) is int else self.choice_of(value)
        if type(number) is not self.value_type or not self._is_right(number):
            raise WrongUse(self._refusal(str(value)))
        return number

    def choice_of(self, value: T) -> T | str:
        """Resolve a synonym to its choice."""
        return dict(self.synonyms).get(value, value) if isinstance(value, str) else value

    def _is_right(self, value: Value) -> bool:
        if isinstance(value, str):
            right = not self.choices or value in self.choices
        else:
            right = isfinite(value) and (isinstance(value, bool) or self.least <= value <= self.most)
        return right and (self.valid is None or self.valid(value))

    def _refusal(self, text: str) -> str:
        short = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
        if self.choices:
            return unknown(self.option, short, self.choices)
        bounds = f" from {self.least:,} to {self.most:,}" if self.value_type in (int, float) else ""
        return f"{short}: write {self.expects or TYPES[self.value_type] + bounds}"


def option_of(name: str) -> str:
    """Return the command-line option of a setting.

    >>> option_of("batch_size")
    '--batch-size'
    """
    return f"--{name.replace('_', '-')}"


def _are_prices(value: Value) -> bool:
    from gluepot.models.api.spending import read_prices

    try:
        read_prices(str(value))
    except WrongUse:
        return False
    return True


def _are_options(text: str) -> bool:
    from gluepot.models.prompts.chat_options import read_options

    try:
        return bool(read_options(text))
    except WrongUse:
        return False


def _are_paths(value: Value) -> bool:
    """Return whether all paths exist; text that cannot be a path is not an error."""
    try:
        return all(part and Path(part).exists() for part in str(value).split(os.pathsep))
    except (OSError, ValueError):
        return False


PRECISION = AdapterSetting(
    "precision", "numeric precision (default: the fastest that works here); --dtype is an alias", choices=("auto", "fp32", "bf16", "fp16"),
    synonyms=(("float32", "fp32"), ("bfloat16", "bf16"), ("float16", "fp16")), named=False, former="dtype",
)  # fmt: skip
DEVICE = AdapterSetting("device", "device (default: a GPU if there is one)", choices=("auto", "cpu", "cuda", "mps"), named=False)
DEVICE_MAP = AdapterSetting(
    "device_map", "spread a model that does not fit on one GPU over GPUs, memory and disk (accelerate)",
    choices=("auto", "balanced", "balanced_low_0", "sequential"), named=False,
)  # fmt: skip
TENSOR_PARALLEL = AdapterSetting(
    "tensor_parallel", "number of GPUs for tensor parallelism (default 1)", int, least=1, most=1024, named=False
)
CHECKPOINT_EVERY = AdapterSetting("checkpoint_every", "steps between checkpoints (default 200; 0: no checkpoints)", int, named=False)
BATCH_SIZE = AdapterSetting("batch_size", "batch size, passed to the program", int, least=1)
TIME_LIMIT = AdapterSetting("time_limit", "time limit per task", int, least=1, most=YEAR, metavar="SECONDS", named=False)
IN_SANDBOX = AdapterSetting("sandbox", "run without network, privileges or access to other files, within limits", bool, named=False)
MEMORY_LIMIT = AdapterSetting("memory_limit", "memory in the sandbox (default 8192)", int, least=16, metavar="MIB", named=False)
PROCESS_LIMIT = AdapterSetting("process_limit", "processes in the sandbox (default 256)", int, least=1, most=1_000_000, named=False)
DISK_LIMIT = AdapterSetting("disk_limit", "temporary files in the sandbox (default 1024)", int, least=1, metavar="MIB", named=False)
READABLE = AdapterSetting(
    "readable",
    "further paths that are readable in the sandbox, separated by colons",
    metavar="PATHS",
    expects="existing files and folders, separated by colons",
    valid=_are_paths,
    named=False,
)
CPU_LIMIT = AdapterSetting(
    "cpu_limit", "CPU time in the sandbox (default: no limit)", int, least=1, most=YEAR, metavar="SECONDS", named=False
)
ENGINE = AdapterSetting(
    "engine", "container engine (default: the first that works)", choices=("auto", "docker", "podman", "bubblewrap"), named=False
)
BOUNDED = (MEMORY_LIMIT, PROCESS_LIMIT, DISK_LIMIT, CPU_LIMIT)
"""Resource limits of a foreign program."""
FENCED = (IN_SANDBOX, *BOUNDED, READABLE)
"""Sandbox settings of a foreign program."""
SHOTS = AdapterSetting("shots", "number of few-shot examples (default: as declared)", int, most=1000)
PROMPT = AdapterSetting("prompt", "prompt variant: 0 as declared, 1, 2 … for the paraphrases", int, most=1000, former="wording")
FORM = AdapterSetting("form", "prompt as a text to complete, or with the chat template", choices=("auto", "base", "instruct"))
ANSWERS = AdapterSetting(
    "answers", "how answers are obtained (default: the best method available)", choices=("auto", "likelihood", "first-token", "text")
)
THINKING = AdapterSetting("thinking", "maximum number of reasoning tokens before the answer", int)
CHAT_OPTION = AdapterSetting(
    "chat_option", "options for the chat template, such as enable_thinking=false; separated by commas", metavar="NAME=VALUE",
    expects="NAME=VALUE, such as enable_thinking=false", valid=lambda value: _are_options(str(value)),
)  # fmt: skip
PRICE = AdapterSetting(
    "price",
    "price of a million tokens, for --budget",
    metavar="IN,OUT",
    expects="the price of a million input and output tokens, such as 0.15,0.60",
    valid=_are_prices,
    named=False,
)
BUDGET = AdapterSetting(
    "budget", "stop at this cost", float, most=float("inf"), metavar="MONEY", expects="an amount, such as 2.50", named=False
)
LEDGER = AdapterSetting("ledger", named=False)
"""The file that counts the paid tokens across all processes and resumptions of a run."""
KEY_ADDRESS = AdapterSetting("key_address", named=False, grants=True)
"""The address that the user's key may be sent to."""
TRUST_PICKLE = AdapterSetting("trust_pickle", "load Python pickles, which can run any code as you", bool, named=False, grants=True)
ADAPTER = AdapterSetting("adapter", "train low-rank adapters (LoRA, with PEFT) instead of all weights", choices=("lora",))
LORA_RANK = AdapterSetting("lora_rank", "rank of the LoRA adapters (default 8)", int, least=1, most=1024)
TRUST_REMOTE_CODE = AdapterSetting("trust_remote_code", "run Python code from the model's repository", bool, named=False, grants=True)
REVISION = AdapterSetting(
    "revision", "branch, tag or commit on the Hub (default: the current main branch)", metavar="NAME", expects="a name",
    valid=lambda value: 0 < len(str(value)) <= 200 and not str(value).startswith("-"),
)  # fmt: skip
COMMIT = AdapterSetting("commit", named=False)
"""The commit that the revision resolved to when the run began; a run stores it beside the model's name."""
PROMPTING = (SHOTS, PROMPT, FORM, ANSWERS, THINKING, CHAT_OPTION)
"""Prompting settings of a language model."""
