"""From texts to batches: tokenization, truncation, and cached rows."""
