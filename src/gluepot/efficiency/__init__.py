"""How fast and how large a model is: throughput, memory, time to start."""
