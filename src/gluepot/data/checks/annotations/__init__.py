"""Checks of gold answers: labels, judgments, spans, offsets, tags."""
