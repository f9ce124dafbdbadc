"""Findings of a report: the leaders, the systems not significantly different from them, and a summary in a sentence."""
