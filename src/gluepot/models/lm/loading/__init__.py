"""Loading of weights and tokenizers from a folder, a GGUF file or the Hub, with adapters, onto the available devices."""
