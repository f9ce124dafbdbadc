"""Trade-off pages: plots of quality against speed, memory, size and date, with their Pareto frontiers."""
