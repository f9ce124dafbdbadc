"""The page of standings and its snapshots: rows, heads, controls, the sentence above the table, files."""
