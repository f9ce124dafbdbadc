"""Commands that only tell something start quickly and touch nothing heavy."""

import os
import resource
import subprocess
import sys

import pytest

HEAVY = ("torch", "django", "sklearn", "numpy", "scipy", "huggingface_hub", "httpx", "ssl")


def cpu_seconds(*words: str) -> float:
    """User and system time of one command, the best of three: a busy machine only adds."""
    best = float("inf")
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "gluepot", *words], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


@pytest.mark.parametrize(("words", "budget"), [(("--help",), 0.2), (("suites",), 0.3), (("suites", "--json"), 0.3)])
def test_a_light_command_stays_within_its_budget(words: tuple[str, ...], budget: float) -> None:
    assert cpu_seconds(*words) <= budget


@pytest.mark.parametrize("words", [["--help"], ["suites"]])
def test_a_light_command_imports_nothing_heavy(words: list[str]) -> None:
    code = f"import sys; from gluepot.cli import main; main({words!r}); print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env={**os.environ})
    assert done.stderr.strip() == "[]"
