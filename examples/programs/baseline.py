"""Minimal model as a command: the first label for short texts, the last one for long ones.

    gluepot measure "command:python3 examples/programs/baseline.py" pocket/stance-sv --sandbox

Items are read as JSON Lines from standard input, with `id`, `inputs` and, if the task has any, `labels`; predictions are written to
standard output, one per line and in the same order. Output is flushed after each batch, so that throughput is measured per batch.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any


def predict(items: Sequence[dict[str, Any]]) -> list[str]:
    """Return a label for each item; replace this with your model."""
    lengths = [sum(len(value) for value in item["inputs"].values() if isinstance(value, str)) for item in items]
    return [item["labels"][0 if length < 60 else -1] for item, length in zip(items, lengths, strict=True)]


def answer(items: Sequence[dict[str, Any]]) -> None:
    for item, prediction in zip(items, predict(items), strict=True):
        print(json.dumps({"id": item["id"], "prediction": prediction}))
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=32)
    size = parser.parse_args().batch_size
    batch: list[dict[str, Any]] = []
    for line in sys.stdin:
        batch.append(json.loads(line))
        if len(batch) == size:
            answer(batch)
            batch.clear()
    answer(batch)


if __name__ == "__main__":
    main()
