"""The sections about models: what is measured by whom, and how it is shown."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import finetuning, gguf_start, language_models, trained_vectors, utilization
from benchmarks.processes import ALL_CORES_NOTE, ONE_THREAD_NOTE, machine
from benchmarks.tables import table, yes

FINETUNING_NOTE = (
    "MiniLM, three epochs of the training data in batches of 16, the test data in batches of 32; "
    f"{finetuning.MOST} items of each, drawn at random, or all. The peer is a "
    "Hugging Face Trainer with its defaults on the same weights and rows. Padding to 512 is timed on 32 and 64 items. Scores are those "
    "on the test data after the three epochs of one seed, with their 95 % intervals; a line holds unless ours is certainly below theirs. "
    "`python -m benchmarks --only fine-tuning` measures this part alone."
)
LANGUAGE_MODELS_NOTE = (
    "SmolLM2-135M; the peer is lm-evaluation-harness 0.4.13 on the very same weights, prompts, options and items, taken evenly "
    "from the set, at the quickest of its batch sizes 1, 4 and 8. `python -m benchmarks --only language-models` measures this part alone."
)
STEPS_NOTE = (
    "What brings how much: items/s on 12 items as one saving after the other is switched on. SweSAT's options are words and phrases, "
    "PARus's and continuations' whole sentences, talemåder's and ARC's letters, which the harness answers from one pass a question too. "
    "Continuations are made of a treebank's sentences as HellaSwag is of scenes: two, then four that may come next. With ten shots, as "
    "HellaSwag is usually asked, more is shared than with five, where the tokens to be run are a ninth of the harness's."
)
UTILIZATION_NOTE = (
    "Useful floating-point operations (products of real tokens with every matrix of the layers, attention between tokens that see each "
    "other, logits that are read; three times as many in training) beside the rate of plain products of 1,024 tokens with matrices of "
    "the model's shapes, in the same process on one thread, by processor time. Padding, softmax, norms and data count as nothing done; "
    "the last layer counts whole, also where it is run only for what is read (an eighth of MiniLM's work in prediction, whose packed "
    "weights are a tenth quicker than plain ones). "
    "SmolLM2-135M on SweSAT, MiniLM on BasqueGLUE's QNLI. `python -m benchmarks --only utilization` measures this part alone."
)
GGUF_NOTE = (
    "Processor seconds in fp32 on one thread, each time in a fresh process: the first time the file is parsed and its weights are kept, "
    "from the second time on they are mapped into memory. `python -m benchmarks --only gguf-start` measures this part "
    "alone, with the files that GLUEPOT_GGUF names beside SmolLM2."
)
VECTORS_NOTE = (
    "`gluepot vectors train` on the texts of the suites whose data is here, each once, never their answers: the training texts, which are "
    "too few, and those of the other items. 100 dimensions, words that come 3 times; fastText's subwords, of 4 to 6 letters, are the best "
    "of three recipes that were tried on these very pairs. Speed by processor time over "
    f"{trained_vectors.TIMED_EPOCHS} epochs. "
    "Pairs of SuperSim in Superlim's edition, Spearman's ρ over those that have both vectors, 95 % bootstrap intervals. Random vectors "
    "have the words of word2vec. `python -m benchmarks --only trained-vectors` measures this part alone."
)


@dataclass(frozen=True)
class Section:
    """A part of the page, and whether what is wanted of it holds."""

    text: str
    holds: bool


def measure_finetuning() -> Section:
    where = machine()
    lines = list(finetuning.compare(quick=False))
    parts = ["## Fine-tuning an encoder", where + ALL_CORES_NOTE + FINETUNING_NOTE, finetuning_table(lines)]
    return Section("\n\n".join(parts), all(line.holds for line in lines))


def measure_language_models() -> Section:
    where = machine()
    lines = list(language_models.compare())
    parts = [
        "## Options by likelihood",
        where + ONE_THREAD_NOTE + LANGUAGE_MODELS_NOTE,
        asked_table(lines),
        STEPS_NOTE,
        steps_table(lines),
    ]
    return Section("\n\n".join(parts), all(line.holds for line in lines))


def measure_utilization() -> Section:
    where = machine()
    lines = utilization.measure()
    parts = ["## Distance from the machine", where + UTILIZATION_NOTE, share_table(lines)]
    return Section("\n\n".join(parts), all(line.holds for line in lines))


def measure_starts() -> Section:
    where = machine()
    lines = list(gguf_start.measure(gguf_start.files()))
    parts = ["## Start of a GGUF file", where + GGUF_NOTE, start_table(lines)]
    return Section("\n\n".join(parts), all(line.holds for line in lines))


def measure_trained_vectors() -> Section:
    where = machine()
    with TemporaryDirectory() as folder:
        found = trained_vectors.compare(Path(folder))
    return vectors_section(found, where)


def vectors_section(found: trained_vectors.Found, where: str) -> Section:
    size = f"The corpus has {found.corpus}."
    claims = table(["claim", "holds"], [[claim, yes(held)] for claim, held in found.claims.items()])
    parts = [
        "## Word vectors trained here",
        where + VECTORS_NOTE + f" {size}",
        quality_table(found.quality),
        speed_table(found.speed),
        claims,
    ]
    return Section("\n\n".join(parts), all(found.claims.values()))


PARTS = {
    "fine-tuning": (measure_finetuning, finetuning.possible),
    "language-models": (measure_language_models, language_models.possible),
    "utilization": (measure_utilization, utilization.possible),
    "gguf-start": (measure_starts, gguf_start.possible),
    "trained-vectors": (measure_trained_vectors, trained_vectors.possible),
}


def measure(part: str) -> Section | None:
    """One part; None where libraries, weights or data are not at hand, which is told."""
    work, possible = PARTS[part]
    if why := possible():
        print(f"{part}: not measured: {why}", file=sys.stderr)
        return None
    return work()


def finetuning_table(lines: Sequence[finetuning.Line]) -> str:
    header = ["what", "data", "with a Trainer that pads to", "theirs, items/s", "ours, items/s", "ratio", "wanted"]
    header += ["their score", "our score", "holds"]
    peers = {"dynamic": "the longest in a random batch", "512": "512"}
    rows = [
        [
            line.what,
            line.dataset,
            peers[line.peer],
            f"{line.peer_rate:.1f}",
            f"{line.rate:.1f}",
            f"{line.ratio:.2f}×",
            f"{line.wanted:g}×" if line.wanted else "–",
            str(line.peer_score or ""),
            str(line.score or ""),
            yes(line.holds),
        ]
        for line in lines
    ]
    return table(header, rows)


def asked_table(lines: Sequence[language_models.Line]) -> str:
    header = [
        "task",
        "shots",
        "items",
        "theirs, items/s",
        "their batch",
        "ours, items/s",
        "ratio",
        "wanted",
        "largest difference",
        "same answers",
        "holds",
    ]
    rows = [
        [
            line.task,
            str(line.shots),
            f"{line.items:,}",
            f"{line.peer_rate:.2f}",
            str(line.batch),
            f"{line.rate:.2f}",
            f"{line.ratio:.1f}×",
            f"{line.wanted:g}×" if line.wanted else "–",
            f"{line.apart:.1g}",
            f"{line.same:.1%}",
            yes(line.holds),
        ]
        for line in lines
    ]
    return table(header, rows)


def steps_table(lines: Sequence[language_models.Line]) -> str:
    names = list(lines[0].steps)
    return table(
        ["task", "shots", *names], [[line.task, str(line.shots), *(f"{line.steps[name]:.2f}" for name in names)] for line in lines]
    )


def share_table(lines: Sequence[utilization.Share]) -> str:
    rows = [
        [
            line.work,
            f"{line.tokens:,}",
            f"{line.gflops:.0f}",
            f"{line.machine:.0f}",
            f"{line.share:.0%}",
            f"{utilization.WANTED[line.work]:.0%}" if line.work in utilization.WANTED else "–",
            yes(line.holds),
        ]
        for line in lines
    ]
    return table(["work", "tokens", "useful GFLOP/s", "products, GFLOP/s", "share", "wanted", "holds"], rows)


def start_table(lines: Sequence[gguf_start.Start]) -> str:
    rows = [
        [line.file, f"{line.size / 1e6:.0f} MB", *(f"{seconds:.1f} s" for seconds in (line.first, line.again, line.alone)), yes(line.holds)]
        for line in lines
    ]
    again = "the second time, imports of torch and transformers included"
    return table(["file", "size", "the first time", again, "without these", f"holds (at most {gguf_start.LONGEST:g} s)"], rows)


def quality_table(lines: Sequence[trained_vectors.Quality]) -> str:
    rows = []
    for line in lines:
        value = f"{line.value:.3f} ({line.low:.3f}–{line.high:.3f})"
        rows.append([line.task, line.model, f"{line.answered:,} of {line.pairs:,}", value])
    return table(["task", "vectors", "pairs with both words", "Spearman's ρ"], rows)


def speed_table(lines: Sequence[trained_vectors.Speed]) -> str:
    rows = []
    for line in lines:
        times = [f"{seconds:.1f} s" for seconds in (line.peer_seconds, line.our_seconds)]
        rows.append([line.model, f"{line.tokens:,}", *times, f"{line.our_seconds / line.peer_seconds:.2f}×", yes(line.holds)])
    return table(["training", "words", "gensim's own loop", "ours", "ours / gensim", "holds (at most 1.1×)"], rows)
