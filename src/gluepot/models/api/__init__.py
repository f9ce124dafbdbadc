"""Language models behind an OpenAI-compatible HTTP API, with rate adaptation, cached answers and a budget."""
