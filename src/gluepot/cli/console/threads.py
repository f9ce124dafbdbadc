"""Number of cores that numpy's products use."""

import os
import sys


def use_one_thread() -> None:
    """Limit numpy's products to one core, unless it is already loaded: they are slim, and a second thread mostly waits for the first.

    It waits by spinning: the private score of 28,000 answers took a worker 3.7 CPU-seconds on two threads, and 1.7 on one.
    """
    if "numpy" not in sys.modules:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
