"""Rounds of annotation on the board's database: one link a rater, votes that are never lost, pages of their own process."""
