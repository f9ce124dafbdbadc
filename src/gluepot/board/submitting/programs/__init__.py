"""Programs submitted instead of predictions: proposed, allowed by a moderator, run and measured in a sandbox by a worker."""
