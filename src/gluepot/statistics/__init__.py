"""Statistics of scores: intervals, comparisons, ranks, what a test set can tell, agreement of annotators."""
