"""Third-party programs: started, monitored, limited and sandboxed, so that every run ends with a report."""
