"""Drawings, tables as files, and strangers' Markdown as HTML."""
