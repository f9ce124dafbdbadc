"""Scores from predictions: metrics with intervals, coverage, the suite's mean, and the cost of the answers."""
