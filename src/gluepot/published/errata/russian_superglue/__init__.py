"""Russian SuperGLUE: what is wrong on its leaderboard, in its figures, and in its files."""

NAME = "russian-superglue"
