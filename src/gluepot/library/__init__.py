"""The library: what `import gluepot` offers to programs. The command line does the same with the same code."""

from gluepot.library.evaluating import evaluate
from gluepot.library.loading import load_examples, load_suite, suites
from gluepot.library.running import Run, compare, open_run, report
from gluepot.library.scoring import InvalidPredictions, score

__all__ = ["InvalidPredictions", "Run", "compare", "evaluate", "load_examples", "load_suite", "open_run", "report", "score", "suites"]
