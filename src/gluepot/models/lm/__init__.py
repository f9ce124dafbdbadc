"""Language models run here with transformers: what options are likely, what is written freely or within a grammar."""
