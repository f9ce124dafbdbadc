"""What every request passes: limits, methods, parameters, languages, headers, answers that are kept."""
