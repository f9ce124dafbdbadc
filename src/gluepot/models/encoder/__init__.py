"""Fine-tuned encoders (`encoder:PATH|HUB_ID`): the only room where torch is at home. Its modules are imported when a model is made."""
