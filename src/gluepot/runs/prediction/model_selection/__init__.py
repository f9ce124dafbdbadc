"""Model selection: the items that a model learns from and is selected by, searches, and pruning of trials."""
