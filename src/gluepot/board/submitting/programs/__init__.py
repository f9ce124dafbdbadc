"""Programs that are sent instead of answers: proposed, allowed by a moderator, run and measured in the sandbox by a worker."""
