"""Public API of `import gluepot`, based on the same code as the command line."""

from gluepot.library.evaluating import evaluate
from gluepot.library.loading import load_examples, load_suite, suites
from gluepot.library.running import Run, compare, open_run, report
from gluepot.library.scoring import InvalidPredictions, score

__all__ = ["InvalidPredictions", "Run", "compare", "evaluate", "load_examples", "load_suite", "open_run", "report", "score", "suites"]
