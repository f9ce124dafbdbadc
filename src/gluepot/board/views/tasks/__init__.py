"""The pages of tasks: those of a suite, and one with everybody's scores."""
