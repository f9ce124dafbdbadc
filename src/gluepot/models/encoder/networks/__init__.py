"""Nets with their heads, loaded with their tokenizer, and low-rank adapters."""
