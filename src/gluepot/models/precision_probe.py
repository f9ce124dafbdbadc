"""Half precision tried once a machine, in a process that may die of it: what a processor promises is no proof."""

import os
import platform
import subprocess
import sys
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from signal import SIGINT, SIGKILL, SIGTERM

from msgspec import DecodeError, Struct, json

from gluepot.errors import signal_name
from gluepot.models.caches import cache_root

AUTO, FULL = "auto", "fp32"
HALF = {"bf16", "fp16"}
PROGRAM: tuple[str, ...] = (sys.executable, "-m", "gluepot.models.encoder.execution.precision_trial")
"""What tries a precision. Told which one, it prints a Trial before it begins and another one when it knows."""
PATIENCE = 180.0
"""Seconds that a trial may take: some 8 on a quiet machine, half of them for torch's own import."""
DEVICE = "GLUEPOT_DEVICE"
SWITCHES = (
    "ONEDNN_",
    "DNNL_",
    "ATEN_",
    "MKL_ENABLE_INSTRUCTIONS",
    "MKL_CBWR",
    DEVICE,
    "GLUEPOT_NO_BF16",
    "CUDA_VISIBLE_",
    "HIP_",
)
"""Beginnings of environment variables that decide which instructions are used, and where."""
FACTS = ("vendor_id", "cpu family", "model", "stepping", "microcode", "flags", "Features", "CPU ")
"""Beginnings of the lines of /proc/cpuinfo that tell processors apart."""
ACCELERATORS = ("proc/driver/nvidia/version", "proc/driver/nvidia/gpus/*/information", "sys/class/kfd/kfd/topology/nodes/*/name", "dev/dxg")
"""Files by which a GPU is known without a library: NVIDIA's, AMD's, and either's below Windows."""


class PrecisionTrial(Struct, frozen=True):
    """How one precision did beside fp32."""

    precision: str
    """What was tried; fp32 where the device has nothing else to try."""
    device: str = ""
    error: float | None = None
    """The largest relative distance from fp32, of results and gradients; null where they were no numbers."""
    gain: float | None = None
    """How many times as fast as fp32; null where the device's own word is taken for it."""
    failed: str = ""
    """Why there is nothing to measure: "died of SIGILL (illegal instruction)"."""
    lasting: bool = True
    """Whether it would go the same way the next time."""


class _Kept(Struct, frozen=True):
    """A trial in the cache, with all that it depends on, for people who look."""

    trial: PrecisionTrial
    machine: dict[str, str]


def tried(wanted: str, device: str = AUTO, *, again: bool = False) -> PrecisionTrial:
    """The trial of a precision on this machine, on the device that is named: the one that was kept, or a new one."""
    machine = machine_facts(wanted, device)
    if again:
        _once.cache_clear()
        _place(machine).unlink(missing_ok=True)
    return _once(tuple(machine.items()), device)


def is_known(wanted: str, device: str = AUTO) -> bool:
    """Whether the answer is kept, so that nobody has to wait for it."""
    return _read(machine_facts(wanted, device)) is not None


@cache
def _once(machine: tuple[tuple[str, str], ...], device: str) -> PrecisionTrial:
    facts = dict(machine)
    found = _read(facts)
    if found is None:
        found = _ask(facts["precision"], device)
        asked = {facts["precision"], *({found.precision} & HALF)}  # whoever is told the answer may ask for it by name
        with suppress(OSError):  # a full disk is no reason to fail
            for name in asked if found.lasting else ():
                _write(found, facts | {"precision": name})
    return found


def _place(machine: dict[str, str]) -> Path:
    return cache_root() / "precision" / f"{sha256(json.encode(machine, order='sorted')).hexdigest()[:24]}.json"


def _read(machine: dict[str, str]) -> PrecisionTrial | None:
    with suppress(OSError, DecodeError):  # absent, or of a machine that lost its power
        return json.decode(_place(machine).read_bytes(), type=_Kept).trial
    return None


def _write(found: PrecisionTrial, machine: dict[str, str]) -> None:
    """Beside its place, then renamed: readers see all or nothing."""
    place = _place(machine)
    place.parent.mkdir(parents=True, exist_ok=True)
    draft = place.with_name(f".{place.stem}.{os.getpid()}")
    draft.write_bytes(json.format(json.encode(_Kept(found, machine))))
    draft.replace(place)


def _ask(wanted: str, device: str) -> PrecisionTrial:
    """Let a process of its own try, which may die, hang or answer nonsense."""
    package = str(Path(__file__).parents[2])
    environment = _environment(device) | {"PYTHONPATH": os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))}
    try:
        child = subprocess.run([*PROGRAM, wanted], env=environment, capture_output=True, stdin=subprocess.DEVNULL, timeout=PATIENCE)
    except subprocess.TimeoutExpired as late:
        return PrecisionTrial(_begun(late.stdout or b"", wanted), failed=f"no answer in {PATIENCE:g} s")
    begun = _begun(child.stdout, wanted)
    if child.returncode < 0:
        lasting = -child.returncode not in (SIGKILL, SIGTERM, SIGINT)  # those are somebody's doing, not the processor's
        return PrecisionTrial(begun, failed=f"died of {signal_name(-child.returncode)}", lasting=lasting)
    lines = [line for line in child.stdout.splitlines() if line.strip()]
    if child.returncode == 0 and len(lines) > 1:
        with suppress(DecodeError):
            return json.decode(lines[-1], type=PrecisionTrial)
    said = [line.strip() for line in child.stderr.decode(errors="replace").splitlines() if line.strip()]
    return PrecisionTrial(begun, failed=said[-1][:200].rstrip(".") if said else f"no answer, exit code {child.returncode}", lasting=False)


def _begun(output: bytes, wanted: str) -> str:
    """The precision that a process said it would try."""
    with suppress(DecodeError):
        return json.decode(output.partition(b"\n")[0], type=PrecisionTrial).precision
    return "half precision" if wanted == AUTO else wanted


def _environment(device: str) -> dict[str, str]:
    """What a trial sees: the device that is named goes before the user's GLUEPOT_DEVICE."""
    return dict(os.environ) | ({} if device == AUTO else {DEVICE: device})


def machine_facts(wanted: str, device: str = AUTO) -> dict[str, str]:
    """All that a trial depends on: processor, kernel, torch, GPUs, and what the environment says of them."""
    return {
        "precision": wanted,
        "processor": _processor(),
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
        "torch": torch_version(),
        "gpu": accelerators(),
        "environment": " ".join(f"{name}={value}" for name, value in sorted(_environment(device).items()) if name.startswith(SWITCHES)),
    }


@cache
def _processor() -> str:
    try:
        first = Path("/proc/cpuinfo").read_text(encoding="utf-8").partition("\n\n")[0]
    except OSError:
        return platform.processor()
    return "\n".join(" ".join(line.split()) for line in first.splitlines() if line.startswith(FACTS))


@cache
def accelerators() -> str:
    """GPUs as the system lists them; empty where there are none."""
    found = []
    for path in (path for pattern in ACCELERATORS for path in sorted(Path("/").glob(pattern))):
        with suppress(OSError):
            found.append(path.read_text(encoding="utf-8", errors="replace").strip() if path.is_file() else str(path))
    return "\n".join(dict.fromkeys(found))


def torch_version() -> str:
    """Empty where torch is not installed."""
    try:
        return version("torch")
    except PackageNotFoundError:
        return ""
