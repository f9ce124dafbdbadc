"""The report as HTML and SVG."""
