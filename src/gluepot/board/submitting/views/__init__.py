"""Views for submitters."""
