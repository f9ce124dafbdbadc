"""From predictions to scores: metrics with intervals, coverage, the suite's mean, and what the answers cost."""
