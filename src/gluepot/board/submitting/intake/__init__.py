"""From a request with files to a queued submission: limits of calls, checks, quotas, a sample."""
