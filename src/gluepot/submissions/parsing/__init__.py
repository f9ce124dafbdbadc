"""A file's rows, whatever its format: JSON Lines and tables, read strictly."""
