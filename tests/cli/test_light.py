"""Light commands start quickly and import no heavy packages."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import gluepot

HEAVY = ("torch", "django", "sklearn", "numpy", "scipy", "huggingface_hub", "httpx", "ssl")
LEFT_OUT = tuple(name for name in HEAVY if name != "numpy")


def cpu_seconds(*words: str) -> float:
    """Return the user and system time of one Python program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def stays_within(budget: float, *words: str) -> bool:
    """Return whether the best of a few runs is within the budget, which doubles on a machine with more load than cores."""
    for _ in range(5):
        busy = os.getloadavg()[0] > (os.cpu_count() or 1)
        if cpu_seconds(*words) <= (2 * budget if busy else budget):
            return True
    return False


LIGHT = [
    (("-m", "gluepot", "--help"), 0.1),
    (("-c", "import gluepot"), 0.1),
    (("-m", "gluepot", "suites"), 0.3),
    (("-m", "gluepot", "suites", "--json"), 0.3),
]


@pytest.mark.parametrize(("words", "budget"), LIGHT)
def test_a_light_command_stays_within_its_budget(words: tuple[str, ...], budget: float) -> None:
    assert stays_within(budget, *words)


@pytest.mark.slow
def test_a_full_submission_is_scored_within_a_second(submissions: Path) -> None:
    folders = [path for path in (submissions / "superlim").iterdir() if path.is_dir()]
    fullest = max(folders, key=lambda folder: sum(path.is_file() for path in folder.rglob("*")))
    assert stays_within(1.0, "-m", "gluepot", "score", "superlim", str(fullest))


def test_score_imports_nothing_that_it_does_not_need() -> None:
    """Importing SciPy alone would take a good part of its one-second budget."""
    sample = Path(gluepot.__file__).parent / "suites" / "pocket" / "sample"
    code = (
        f"import sys; from gluepot.cli import main; main(['score', 'pocket', {str(sample)!r}]); "
        f"print([m for m in {LEFT_OUT!r} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr.strip().splitlines()[-1] == "[]"


@pytest.mark.parametrize("words", [["--help"], ["suites"]])
def test_a_light_command_imports_nothing_heavy(words: list[str]) -> None:
    code = f"import sys; from gluepot.cli import main; main({words!r}); print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env={**os.environ})
    assert done.stderr.strip() == "[]"
