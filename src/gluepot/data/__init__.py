"""Data: fetching and reading official files, checking them, exporting datasets and scaffolding new tasks."""
