"""Single items of a task with the answers of systems: read once, filtered by what a visitor asks for, shown safely."""
