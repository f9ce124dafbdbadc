"""Programs of others: started, watched, limited and fenced in, so that whatever they do ends with a report."""
