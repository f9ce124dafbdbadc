"""`make bench`: measure everything, print the page and write it; exit code 1 if a target is missed."""

import os
import platform
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import EQUAL, QUICK_N, TIMED_RESAMPLES, Comparison, N
from benchmarks.commands import ROOT, Command, measure_all
from benchmarks.makers import MakerLine, makers_section
from benchmarks.makers import measure as measure_makers
from benchmarks.tables import table, yes
from gluepot.runs.storage.manifest import cpu_model

if TYPE_CHECKING:
    from benchmarks import board
    from benchmarks.model_pages import Section
    from benchmarks.vectors import Line

MODELS = ("fine-tuning", "likelihoods", "utilization", "gguf-start", "trained-vectors")
PARTS = (*MODELS, "makers", "measuring", "board", "commands")
LIBRARIES = ("gluepot", "numpy", "rapidfuzz", "krippendorff", "seqeval", "rouge-score", "scikit-learn", "scipy")
METHOD_NOTE = (
    "Both sides get the same synthetic data with a fixed seed and alternate in one process; times are CPU time, the best of all "
    f"repetitions. Values count as equal if they differ by at most {EQUAL:g}. Lines without a wanted ratio are for information."
)
BOOTSTRAP_NOTE = (
    f"The plain bootstrap is timed on {TIMED_RESAMPLES} of its 1,000 resamples and scaled up. The difference there is between the "
    "ends of two simulated intervals; they count as equal within four standard errors of the simulation."
)
ANALOGIES_NOTE = (
    "Wall time on all cores; the peer is a loop over `most_similar`. Memory is that of a separate process, including the conversion."
)
BOARD_NOTE = (
    "2,000 synthetic systems on Superlim's 15 tasks, dev and test, with all their bootstrap values; server, requests and Chromium "
    "share the machine. In the mixed load, every tenth request has a new combination of filters, tasks or weights. Browser times "
    "are from the click to the new layout. The lines on attacks are for 100 systems (`python -m benchmarks.strangers`)."
)
COMMANDS_NOTE = "Including start-up, on all cores, files in the page cache; `score` runs if data and a submission are available."
REPEAT_NOTE = (
    "`make bench` writes this page and exits with code 1 if a line does not hold. For `score`, GLUEPOT_DATA is the folder with the "
    "suites' data and GLUEPOT_SUBMISSIONS one with `superlim/<submission>`. `python -m benchmarks --quick` takes a few seconds, "
    "checks on 1,000 items that values are equal and writes no page."
)


def main() -> int:
    parser = ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="1,000 items and one round: equal values only, no ratio is demanded")
    parser.add_argument("--no-models", action="store_true", help="leave out what needs models, which takes longest")
    parser.add_argument("--output", type=Path, help="the page to write (default docs/benchmarks.md; with --quick none)")
    parser.add_argument("--only", choices=PARTS, help="measure this part and put it into the page that is there")
    options = parser.parse_args()
    if options.only:
        return renew(options.only, options.output or ROOT / "docs" / "benchmarks.md")
    # Commands first: a child's peak memory includes that of the process it was forked from, which is still small now.
    commands = list(measure_all(options.quick))
    from benchmarks.peers import compare_all

    comparisons = []
    for comparison in compare_all(QUICK_N if options.quick else N):
        comparisons.append(comparison)
        print(f"{comparison.name}: {comparison.ratio:.1f}", file=sys.stderr)
    from benchmarks.vectors import compare as compare_vectors

    analogies = compare_vectors(options.quick)
    served = measure_served(quick=options.quick)
    sections = [] if options.no_models or options.quick else measure_models()
    made = list(measure_makers(options.quick))
    output = options.output or (None if options.quick else ROOT / "docs" / "benchmarks.md")
    before = output.read_text(encoding="utf-8") if output and output.is_file() else ""
    models = [with_other_machines(before, section.text) for section in sections]
    page = write_page(comparisons, analogies, commands, served, models, made)
    print(page)
    if output:
        output.write_text(page, encoding="utf-8")
    held = [line.holds for lines in (comparisons, analogies, commands, made) for line in lines]
    held += [section.holds for section in sections]
    held += [line.holds or options.quick for line in served]
    return 0 if all(held) else 1


def renew(part: str, page: Path) -> int:
    """Measure one section of the page again; the others keep their previous results."""
    measured = _measure_part(part)
    if measured is None:
        return 2
    text, held = measured
    print(text)
    page.write_text(spliced(page.read_text(encoding="utf-8"), text), encoding="utf-8")
    return 0 if held else 1


def _measure_part(part: str) -> tuple[str, bool] | None:
    """Return a section's text and whether all its targets are met; None, with a message printed, if its requirements are missing."""
    if part == "makers":
        made = list(measure_makers(quick=False))
        return makers_section(made), all(line.holds for line in made)
    if part == "measuring":
        from benchmarks.measuring import measure_known, measure_overhead, measuring_section

        overhead, runs = measure_overhead(), list(measure_known(20))
        return measuring_section(overhead, runs), overhead.holds and sum(run.holds for run in runs) >= 19
    if part == "board":
        served = measure_served(quick=False)
        return board_section(served), all(line.holds for line in served)
    if part == "commands":
        commands = list(measure_all(quick=False))
        return command_section(commands), all(line.holds for line in commands)
    from benchmarks.model_pages import measure

    section = measure(part)
    return None if section is None else (section.text, section.holds)


def measure_served(*, quick: bool) -> "list[board.Line]":
    from benchmarks.board import measure as measure_board
    from benchmarks.strangers import measure as measure_strangers

    return [*measure_board(quick=quick), *measure_strangers(quick=quick)]


def spliced(page: str, section: str) -> str:
    """Return the page with this section in place of the one with its heading, or inserted before the last but one.

    >>> spliced("# A\\n\\n## B\\n\\nold\\n\\n## C\\n\\n## D\\n", "## B\\n\\nnew")
    '# A\\n\\n## B\\n\\nnew\\n\\n## C\\n\\n## D\\n'
    """
    parts = [part if number == 0 else f"## {part}" for number, part in enumerate(page.split("\n\n## "))]
    heading = section.partition("\n")[0]
    place = next((n for n, part in enumerate(parts) if part.startswith(heading)), len(parts) - 2)
    parts[place : place + parts[place].startswith(heading)] = [with_other_machines(page, section)]
    return "\n\n".join(parts)


def with_other_machines(page: str, section: str) -> str:
    """Return the section followed by the page's existing subsections of it for machines with other names.

    >>> with_other_machines("## B\\n\\nold\\n\\n### X\\n\\n1\\n\\n### Y\\n\\n2", "## B\\n\\nnew\\n\\n### Y\\n\\n3")
    '## B\\n\\nnew\\n\\n### Y\\n\\n3\\n\\n### X\\n\\n1'
    """
    own = section.rstrip("\n").split("\n\n### ")
    title, names = own[0].partition("\n")[0], {part.partition("\n")[0] for part in own[1:]}
    before = next((part for part in page.split("\n\n## ") if part.removeprefix("## ").startswith(title.removeprefix("## "))), "")
    others = [part.rstrip("\n") for part in before.split("\n\n### ")[1:]]
    return "\n\n### ".join([*own, *(part for part in others if part.partition("\n")[0] not in names)])


def measure_models() -> "list[Section]":
    """Measure the sections that need models (about an hour); those with missing requirements are skipped with a message."""
    from benchmarks.model_pages import measure

    return [section for section in map(measure, MODELS) if section is not None]


def write_page(
    comparisons: Sequence[Comparison],
    analogies: "Sequence[Line]",
    commands: Sequence[Command],
    served: "Sequence[board.Line]",
    models: Sequence[str],
    made: Sequence[MakerLine],
) -> str:
    parts = ["# Benchmarks", how_measured(), comparison_table(comparisons), BOOTSTRAP_NOTE]
    parts += ["## Analogies over a whole vocabulary", ANALOGIES_NOTE, analogy_table(analogies)]
    parts += [board_section(served), *models, makers_section(made), command_section(commands), "## How to repeat", REPEAT_NOTE]
    return "\n\n".join(parts) + "\n"


def how_measured() -> str:
    versions = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    machine = f"{cpu_model() or 'an unknown processor'}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions}"
    return f"Measured on {date.today():%Y-%m-%d}: {machine}. {METHOD_NOTE}"


def board_section(lines: "Sequence[board.Line]") -> str:
    rows = [
        [line.name, f"{line.value:.0f} {line.unit}", f"{line.limit:g} {line.unit}" if line.limit else "", "yes" if line.holds else "no"]
        for line in lines
    ]
    return "\n\n".join(["## The board", BOARD_NOTE, table(["what", "measured", "at most", "holds"], rows)])


def comparison_table(lines: Sequence[Comparison]) -> str:
    header = ["comparison", "with", "n", "theirs", "ours", "ratio", "wanted", "largest difference", "holds"]
    return table(header, [comparison_row(line) for line in lines])


def analogy_table(lines: "Sequence[Line]") -> str:
    header = ["questions", "with", "n", "theirs", "ours", "ratio", "wanted", "other answers", "peak memory", "holds"]
    rows = [
        [
            line.name,
            line.peer,
            f"{line.n:,}",
            duration(line.peer_seconds),
            duration(line.our_seconds),
            f"{line.ratio:,.1f}×",
            f"{line.wanted:g}×" if line.wanted else "–",
            f"{line.difference:.1%}",
            f"{line.memory / 1e6:,.0f} MB",
            yes(line.holds),
        ]
        for line in lines
    ]
    return table(header, rows)


def command_section(lines: Sequence[Command]) -> str:
    header = ["command", "best wall", "median wall", "CPU", "peak memory", "wanted", "holds"]
    return "\n\n".join(["## Whole commands", COMMANDS_NOTE, table(header, [command_row(line) for line in lines])])


def comparison_row(line: Comparison) -> list[str]:
    wanted = f"{line.wanted:g}×" if line.wanted and line.n >= N else "–"
    times = [duration(line.peer_seconds), duration(line.our_seconds)]
    return [line.name, line.peer, f"{line.n:,}", *times, f"{line.ratio:,.1f}×", wanted, f"{line.difference:.1g}", yes(line.holds)]


def command_row(line: Command) -> list[str]:
    limits = [f"wall ≤ {line.wall_limit:g} s"] if line.wall_limit else []
    limits += [f"CPU ≤ {line.cpu_limit:g} s"] if line.cpu_limit else []
    times = [f"{seconds:.2f} s" for seconds in (line.wall, line.median_wall, line.cpu)]
    return [f"`{line.name}`", *times, f"{line.memory / 1e6:,.0f} MB", ", ".join(limits) or "–", yes(line.holds)]


def duration(seconds: float) -> str:
    """
    >>> duration(0.00045), duration(1.5)
    ('0.450 ms', '1.50 s')
    """
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.{0 if seconds >= 0.1 else 1 if seconds >= 0.01 else 3}f} ms"


if __name__ == "__main__":
    sys.exit(main())
