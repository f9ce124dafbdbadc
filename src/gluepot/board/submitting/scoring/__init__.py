"""Scoring by workers: private scores and provisional ranks, detection of copies and probing, rescoring."""
