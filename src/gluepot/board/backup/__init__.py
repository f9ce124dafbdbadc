"""One file with everything of a board: its tables, its files, its key; and the way back."""
