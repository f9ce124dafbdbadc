"""gluepot: one place to declare, check, run and rank language benchmarks."""

__version__ = "0.1.0"
