"""How an item becomes a question to a language model, and how what it says becomes an answer; no model is needed for either."""
