"""Weights and tokenizers: from a folder, a GGUF file or the hub, with adapters, on the devices there are."""
