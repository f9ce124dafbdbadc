"""From texts to batches: tokens, what is cut away, rows that are kept on disk."""
