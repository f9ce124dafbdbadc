"""One language model on a handful of tasks of all languages: scores with intervals, unreadable answers, tokens a second.

python -m benchmarks.asked MODEL.gguf [--limit N]      writes docs/language-models.md
"""

import sys
from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.commands import ROOT
from gluepot.cli.evaluate import task_seconds
from gluepot.models import parse_model
from gluepot.runs.asked import Asked
from gluepot.runs.evaluation import RunScores, Summary, predict, score_run
from gluepot.runs.executors import EXECUTORS
from gluepot.runs.manifest import make_manifest, open_run
from gluepot.runs.plan import make_plan
from gluepot.runs.store import RunFolder
from gluepot.tasks.declarations import load_suite

TASKS = (
    ("scandeval-da", "danske-talemaader", "test"),
    ("superlim", "swesat-synonyms", "test"),
    ("superlim", "sweparaphrase", "test"),
    ("russian-superglue", "PARus", "val"),
    ("basqueglue", "vaxx", "test"),
    ("scandeval-da", "dane", "test"),
)
HEAD = "| task | split | metric | value | 95 % | items | way | unreadable | tokens/s |\n|---|---|---|---|---|---|---|---|---|"


def evaluate(place: Path, suite: str, task: str, split: str, limit: int | None, out: Path) -> tuple[RunScores, float]:
    """The scores of one task, and the seconds of its job, the model's start included."""
    model, found = parse_model(f"lm:{place}"), load_suite(suite)
    plan = make_plan(model, found, tasks=[task], split=split, limit=limit)
    folder = RunFolder(out / task)
    open_run(folder, make_manifest(plan, found, model, plan.protocol, sys.argv), resume=True)
    failed = predict(model, plan, folder, EXECUTORS["local"](jobs=1), lambda: None, lambda report: None)
    return score_run(folder, failed), sum(task_seconds(folder).values())


def line(row: Summary, asked: Asked, seconds: float) -> str:
    value, low, high = (f"{number:.3f}" if number is not None else "–" for number in (row.mean, row.low, row.high))
    unread = f"{asked.unread} of {asked.items}"
    rate = (asked.tokens + asked.written) / seconds
    cells = [row.task, row.split, row.metric, value, f"{low} to {high}", str(row.n), " ".join(asked.ways), unread, f"{rate:,.0f}"]
    return f"| {' | '.join(cells)} |"


def main() -> int:
    parser = ArgumentParser(prog="python -m benchmarks.asked", description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "language-models.md")
    options = parser.parse_args()
    lines = []
    with TemporaryDirectory() as out:
        for suite, task, split in TASKS:
            scores, seconds = evaluate(options.model, suite, task, split, options.limit, Path(out))
            row = next(row for row in scores.summary if row.primary and not row.slice)
            lines.append(line(row, scores.asked[task], seconds))
            print(lines[-1], file=sys.stderr, flush=True)
    part = f" The first {options.limit} items of each task only." if options.limit else ""
    note = "Tokens are those of the questions, shots and options included as if nothing were shared, and those written. "
    note += "Seconds hold the model's start."
    options.output.write_text(f"# {options.model.stem} asked\n\n{note}{part}\n\n{HEAD}\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
