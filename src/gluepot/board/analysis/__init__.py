"""Analyses beyond the ranking: detectable differences, parity, quality against speed, alignment of translations."""
