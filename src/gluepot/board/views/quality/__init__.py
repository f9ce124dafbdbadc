"""The table of standings as people see it: rows, heads, controls, the sentence above it, files."""
