"""Statistics of scores: confidence intervals, paired tests, ranks, power, inter-annotator agreement."""
