"""Training protocol for encoders with little training data."""

from gluepot.models.protocols import PROTOCOLS
from gluepot.records import TrainingProtocol

PROTOCOLS.add("faroe-short", TrainingProtocol(learning_rate=[2e-5, 5e-5], batch_size=8, epochs=5, warmup_ratio=0.1, runs=3))
