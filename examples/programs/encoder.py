"""Fine-tuned encoder as a command: predicts a label for one text or a pair.

    gluepot measure "command:python3 examples/programs/encoder.py --model my-model" pocket/stance-sv --sandbox

`my-model` is a folder written by `save_pretrained` of transformers, with the labels in its configuration (`id2label`). The model is
loaded before the first item is read, as part of the start-up. Each batch is answered and flushed as a whole.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # the sandbox has no network access


class EncoderClassifier:
    """Model in a folder, on a GPU if there is one."""

    def __init__(self, folder: str, longest: int) -> None:
        import torch
        from transformers import AutoModelForSequenceClassification, AutoTokenizer

        self.torch = torch
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = AutoModelForSequenceClassification.from_pretrained(folder).to(self.device).eval()
        places = getattr(self.model.config, "max_position_embeddings", longest + 2)
        self.longest = min(longest, places - 2)  # some models reserve two positions

    def predict(self, items: Sequence[dict[str, Any]]) -> list[str]:
        """Return the most likely label of each item among those of the task."""
        inputs = [item["inputs"] for item in items]
        pairs = [one["pair"] for one in inputs] if all("pair" in one for one in inputs) else None
        texts = [one["text"] for one in inputs]
        encoded = self.tokenizer(texts, pairs, padding=True, truncation=True, max_length=self.longest, return_tensors="pt").to(self.device)
        with self.torch.inference_mode():
            scores = self.model(**encoded).logits.tolist()
        names = self.model.config.id2label
        return [self._best(row, names, item.get("labels")) for row, item in zip(scores, items, strict=True)]

    def _best(self, row: Sequence[float], names: dict[int, str], labels: Sequence[str] | None) -> str:
        legal = [(score, names[number]) for number, score in enumerate(row) if not labels or names[number] in labels]
        if not legal:
            sys.exit(f"the model knows {', '.join(names.values())}; the task asks for {', '.join(labels or [])}.")
        return max(legal)[1]


def batches(size: int) -> Iterator[list[dict[str, Any]]]:
    """Yield batches of items from standard input."""
    while lines := list(islice(sys.stdin, size)):
        yield [json.loads(line) for line in lines]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="/model")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--longest", type=int, default=256, help="tokens of an item")
    options = parser.parse_args()
    classifier = EncoderClassifier(options.model, options.longest)
    for items in batches(options.batch_size):
        for item, label in zip(items, classifier.predict(items), strict=True):
            print(json.dumps({"id": item["id"], "prediction": label}))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
