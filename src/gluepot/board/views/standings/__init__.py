"""Standings page and its snapshots: rows, headers, controls, headline and file exports."""
