"""Getting a suite's official files: from the hub or an archive, pinned, resumed, nothing half-written."""
