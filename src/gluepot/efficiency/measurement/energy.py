"""Energy of the processors by RAPL, if the system permits reading it: of the whole package, with everything that runs on it."""

from contextlib import suppress
from pathlib import Path

ROOT = Path("/sys/class/powercap")


def read_counters(root: Path = ROOT) -> dict[str, tuple[int, int]]:
    """Return each package's microjoules and the value at which its counter wraps; empty if none can be read."""
    found = {}
    for zone in sorted(root.glob("*-rapl:?")) if root.is_dir() else []:
        with suppress(OSError, ValueError):
            found[zone.name] = int((zone / "energy_uj").read_text()), int((zone / "max_energy_range_uj").read_text())
    return found


def joules_between(before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]) -> float | None:
    """Return the joules used between two readings, or None if they are unknown.

    >>> joules_between({"a": (9_000_000, 10_000_000)}, {"a": (1_000_000, 10_000_000)}), joules_between({}, {})
    (2.0, None)
    """
    both = before.keys() & after.keys()
    if not both:
        return None
    return sum((after[zone][0] - before[zone][0]) % max(1, after[zone][1]) for zone in both) / 1e6
