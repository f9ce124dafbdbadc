"""Systems side by side on the items that they share."""
