"""Middleware: request limits, methods, query parameters, languages, headers and response caching."""
