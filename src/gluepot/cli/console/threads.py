"""How many cores numpy's products take."""

import os
import sys


def use_one_thread() -> None:
    """Keep numpy's products on one core, unless it is at work already: they are slim, and a second thread mostly waits for the first.

    It waits by spinning: the private score of 28,000 answers took a worker 3.7 CPU-seconds on two threads, and 1.7 on one.
    """
    if "numpy" not in sys.modules:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
