"""Energy of the processors by RAPL, where the system lets us read it: of the whole package, whatever else ran on it."""

from contextlib import suppress
from pathlib import Path

ROOT = Path("/sys/class/powercap")


def read_counters(root: Path = ROOT) -> dict[str, tuple[int, int]]:
    """Each package's microjoules and where its counter begins anew; empty where none can be read."""
    found = {}
    for zone in sorted(root.glob("*-rapl:?")) if root.is_dir() else []:
        with suppress(OSError, ValueError):
            found[zone.name] = int((zone / "energy_uj").read_text()), int((zone / "max_energy_range_uj").read_text())
    return found


def joules_between(before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]) -> float | None:
    """Used between two readings.

    >>> joules_between({"a": (9_000_000, 10_000_000)}, {"a": (1_000_000, 10_000_000)}), joules_between({}, {})
    (2.0, None)
    """
    both = before.keys() & after.keys()
    if not both:
        return None
    return sum((after[zone][0] - before[zone][0]) % max(1, after[zone][1]) for zone in both) / 1e6
