"""Formats for international English."""
