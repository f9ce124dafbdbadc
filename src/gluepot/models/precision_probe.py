"""Trial of half precision, once per machine, in a process that may crash: advertised CPU features are no proof."""

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
"""Command of a trial. It takes a precision, and prints a PrecisionTrial before it begins and another one when it is done."""
PATIENCE = 180.0
"""Timeout of a trial in seconds: it takes some 8 on a quiet machine, half of them for importing torch."""
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
"""Prefixes of environment variables that select instruction sets and devices."""
FACTS = ("vendor_id", "cpu family", "model", "stepping", "microcode", "flags", "Features", "CPU ")
"""Prefixes of the lines of /proc/cpuinfo that distinguish processors."""
ACCELERATORS = ("proc/driver/nvidia/version", "proc/driver/nvidia/gpus/*/information", "sys/class/kfd/kfd/topology/nodes/*/name", "dev/dxg")
"""Files that reveal a GPU without a library: NVIDIA's, AMD's, and either's under Windows (WSL)."""


class PrecisionTrial(Struct, frozen=True):
    """Result of trying one precision against fp32."""

    precision: str
    """The precision tried; fp32 where the device has nothing else to try."""
    device: str = ""
    error: float | None = None
    """The largest relative deviation of results and gradients from fp32; null where they were not numbers."""
    gain: float | None = None
    """Speed relative to fp32; null where the device's own claim is trusted."""
    failed: str = ""
    """Reason why nothing could be measured: "died of SIGILL (illegal instruction)"."""
    lasting: bool = True
    """Whether a repeated trial would give the same result."""


class _Kept(Struct, frozen=True):
    """A cached trial with everything that it depends on, readable for inspection."""

    trial: PrecisionTrial
    machine: dict[str, str]


def get_trial(wanted: str, device: str = AUTO, *, again: bool = False) -> PrecisionTrial:
    """Return the trial of a precision on this machine and device, from the cache or newly run."""
    machine = machine_facts(wanted, device)
    if again:
        _once.cache_clear()
        _place(machine).unlink(missing_ok=True)
    return _once(tuple(machine.items()), device)


def is_known(wanted: str, device: str = AUTO) -> bool:
    """Return whether a trial is cached, so that there is no wait."""
    return _read(machine_facts(wanted, device)) is not None


@cache
def _once(machine: tuple[tuple[str, str], ...], device: str) -> PrecisionTrial:
    facts = dict(machine)
    found = _read(facts)
    if found is None:
        found = _ask(facts["precision"], device)
        asked = {facts["precision"], *({found.precision} & HALF)}  # the precision found may be requested by name later
        with suppress(OSError):  # a full disk is no reason to fail
            for name in asked if found.lasting else ():
                _write(found, facts | {"precision": name})
    return found


def _place(machine: dict[str, str]) -> Path:
    return cache_root() / "precision" / f"{sha256(json.encode(machine, order='sorted')).hexdigest()[:24]}.json"


def _read(machine: dict[str, str]) -> PrecisionTrial | None:
    with suppress(OSError, DecodeError):  # missing, or truncated by a power failure
        return json.decode(_place(machine).read_bytes(), type=_Kept).trial
    return None


def _write(found: PrecisionTrial, machine: dict[str, str]) -> None:
    """Write to a temporary file, then rename: readers see all or nothing."""
    place = _place(machine)
    place.parent.mkdir(parents=True, exist_ok=True)
    draft = place.with_name(f".{place.stem}.{os.getpid()}")
    draft.write_bytes(json.format(json.encode(_Kept(found, machine))))
    draft.replace(place)


def _ask(wanted: str, device: str) -> PrecisionTrial:
    """Run the trial in a subprocess, which may crash, hang or print nonsense."""
    package = str(Path(__file__).parents[2])
    environment = _environment(device) | {"PYTHONPATH": os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))}
    try:
        child = subprocess.run([*PROGRAM, wanted], env=environment, capture_output=True, stdin=subprocess.DEVNULL, timeout=PATIENCE)
    except subprocess.TimeoutExpired as late:
        return PrecisionTrial(_begun(late.stdout or b"", wanted), failed=f"no answer in {PATIENCE:g} s")
    begun = _begun(child.stdout, wanted)
    if child.returncode < 0:
        lasting = -child.returncode not in (SIGKILL, SIGTERM, SIGINT)  # sent from outside, not caused by the processor
        return PrecisionTrial(begun, failed=f"died of {signal_name(-child.returncode)}", lasting=lasting)
    lines = [line for line in child.stdout.splitlines() if line.strip()]
    if child.returncode == 0 and len(lines) > 1:
        with suppress(DecodeError):
            return json.decode(lines[-1], type=PrecisionTrial)
    said = [line.strip() for line in child.stderr.decode(errors="replace").splitlines() if line.strip()]
    return PrecisionTrial(begun, failed=said[-1][:200].rstrip(".") if said else f"no answer, exit code {child.returncode}", lasting=False)


def _begun(output: bytes, wanted: str) -> str:
    """Return the precision that a process announced."""
    with suppress(DecodeError):
        return json.decode(output.partition(b"\n")[0], type=PrecisionTrial).precision
    return "half precision" if wanted == AUTO else wanted


def _environment(device: str) -> dict[str, str]:
    """Return the environment of a trial: the given device takes precedence over the user's GLUEPOT_DEVICE."""
    return dict(os.environ) | ({} if device == AUTO else {DEVICE: device})


def machine_facts(wanted: str, device: str = AUTO) -> dict[str, str]:
    """Return everything that a trial depends on: processor, kernel, torch, GPUs and the relevant environment variables."""
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
    """Return the GPUs as listed by the system; empty where there are none."""
    found = []
    for path in (path for pattern in ACCELERATORS for path in sorted(Path("/").glob(pattern))):
        with suppress(OSError):
            found.append(path.read_text(encoding="utf-8", errors="replace").strip() if path.is_file() else str(path))
    return "\n".join(dict.fromkeys(found))


def torch_version() -> str:
    """Return the installed version of torch; empty if it is not installed."""
    try:
        return version("torch")
    except PackageNotFoundError:
        return ""
