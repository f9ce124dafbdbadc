"""Drawings, table files, and untrusted Markdown rendered as HTML."""
