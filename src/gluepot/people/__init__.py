"""Human annotation: votes in any tool's format, aggregation, human scores, agreement, and annotation rounds."""
