"""From a plan to files of predictions: jobs, where they run, searches, few-shot examples."""
