"""Which model is chosen: the items that it learns from and is chosen by, its search, trials that are not worth going on with."""
