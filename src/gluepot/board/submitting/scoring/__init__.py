"""What a worker does with answers: private scores and their places, what looks odd in them, scoring again."""
