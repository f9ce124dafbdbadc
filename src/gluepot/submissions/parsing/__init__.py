"""Rows of a file in any format: JSON Lines and tables, read strictly."""
