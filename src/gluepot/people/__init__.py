"""People: votes in any tool's format, their aggregation, human scores, agreement, and rounds of annotation."""
