"""Measurement of figures: models as programs, their questions, rounds of runs, latency, energy."""
