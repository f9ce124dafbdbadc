"""From a plan to prediction files: jobs, executors, searches, few-shot examples."""
