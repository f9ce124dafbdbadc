"""Job execution: executors, local worker processes, and reports on those that die."""
