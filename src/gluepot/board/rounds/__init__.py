"""Annotation rounds on the board's database: one link per rater, votes that are never lost, pages served by a separate process."""
