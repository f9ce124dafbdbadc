"""Language models behind an OpenAI-compatible HTTP API: asked politely, never twice, within a budget."""
