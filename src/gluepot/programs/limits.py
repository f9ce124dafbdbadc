"""Resource limits of programs, and descriptions of their breaches."""

from msgspec import Struct

MIB = 1024**2


class Limits(Struct, frozen=True, omit_defaults=True):
    """Upper limits of all resources; None is unlimited."""

    seconds: float | None = None
    memory: int | None = None
    """Bytes held by all its processes together."""
    processes: int | None = None
    cpu_seconds: float | None = None
    disk: int | None = None
    """Bytes in its private temporary folder, its only writable place."""
    output: int | None = None
    """Bytes on standard output, and as many on standard error."""


SANDBOX = Limits(seconds=3600, memory=8192 * MIB, processes=256, disk=1024 * MIB, output=1024 * MIB)
"""Default limits of a program in the sandbox."""
BREACHES = {
    "time": "took more than {seconds:,.0f} s",
    "memory": "held more than {memory_mib:,.0f} MiB of memory",
    "processes": "had more than {processes:,} processes",
    "cpu-time": "used more than {cpu_seconds:,.0f} s of processor time",
    "disk": "filled its {disk_mib:,.0f} MiB of temporary files",
    "output": "wrote more than {output_mib:,.0f} MiB of output",
}


def describe_breach(name: str, limits: Limits) -> str:
    """Describe an exceeded limit.

    >>> describe_breach("memory", Limits(memory=300 * MIB))
    'held more than 300 MiB of memory'
    """
    facts = {key: getattr(limits, key) or 0 for key in Limits.__struct_fields__}
    facts |= {f"{key}_mib": facts[key] / MIB for key in ("memory", "disk", "output")}
    return BREACHES[name].format(**facts)
