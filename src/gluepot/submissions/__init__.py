"""Untrusted predictions: opened safely, read strictly, paired with the items they answer, with all problems reported together."""
