"""Construction of tasks from corpora: makers, their common infrastructure, and the report on annotation artefacts."""
