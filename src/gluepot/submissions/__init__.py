"""Predictions from strangers: opened with care, read strictly, paired with the items they answer, all problems told at once."""
