"""What learns: nets with their heads, loaded with their tokenizer, and low-rank adapters beside their weights."""
