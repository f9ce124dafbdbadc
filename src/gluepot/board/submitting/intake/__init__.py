"""Intake of submissions, from request to queue: rate limits, validation, quotas, sample files."""
