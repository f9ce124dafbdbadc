"""Task pages: the list of a suite's tasks, and one page per task."""
