"""All torch-free models on every suite with local files: `python -m benchmarks.baselines`, writes docs/baselines.md."""

import sys
from argparse import ArgumentParser
from pathlib import Path

from benchmarks.commands import ROOT
from gluepot.cli import main as gluepot
from gluepot.reporting import make_report
from gluepot.reporting.tables import markdown_tables

MODELS = ("majority", "random", "tfidf-svm", "tfidf-logistic", "tfidf-tree", "tfidf-forest", "crf")
SUITES = {"superlim": "test", "basqueglue": "test", "russian-superglue": "val"}
HEAD = """# Baselines

Results of all models that do not need torch, on the official files, with seed 0 and hyperparameters selected on the training and
development sets. `majority` and `random` show the score of a model that ignores the input. A dash: no predictions (no training data, or the
model does not support the task) or no score (the correlation of a constant). Russian SuperGLUE is scored on val, whose answers are public;
there, `tfidf-logistic` is the suite's own published TF-IDF baseline for each task.

Reproduce with `python -m benchmarks.baselines`.
"""


def main() -> int:
    parser = ArgumentParser(prog="python -m benchmarks.baselines", description=__doc__)
    parser.add_argument("--runs", type=Path, default=ROOT / "runs" / "baselines", help="where the runs are kept")
    parser.add_argument("--jobs", default="2")
    options = parser.parse_args()
    parts = [HEAD]
    for suite, split in SUITES.items():
        folders = [options.runs / suite / model for model in MODELS]
        for model, folder in zip(MODELS, folders, strict=True):
            print(f"{model} on {suite}", file=sys.stderr)
            gluepot(["evaluate", model, suite, "--split", split, "--jobs", options.jobs, "--out", str(folder), "--json"])
        done = [folder for folder in folders if (folder / "scores.json").is_file()]
        parts.append(markdown_tables(make_report(done, None, None)))
    (ROOT / "docs" / "baselines.md").write_text("\n".join(parts), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
