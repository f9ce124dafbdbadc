"""Fetching of a suite's official files: from the hub or an archive, pinned, resumable and atomic."""
