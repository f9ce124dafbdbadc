"""Fine-tuned encoders (`encoder:PATH|HUB_ID`), the only package that depends on torch throughout; imported when a model is made."""
