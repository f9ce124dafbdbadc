"""Migrations of the rounds."""
