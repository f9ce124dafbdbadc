"""Who stands where: the state that a visitor chose, the numbers of a field of systems, and their ranks."""
