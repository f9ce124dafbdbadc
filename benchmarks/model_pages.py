"""The sections about models: what is measured by whom, and how it is shown."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import finetuning, gguf_start, likelihoods, trained_vectors, utilization
from benchmarks.processes import ALL_CORES_NOTE, ONE_THREAD_NOTE, Machine, this_machine
from benchmarks.tables import table, yes

FINETUNING_NOTE = (
    "MiniLM, three epochs on the training data with batch size 16, and prediction on the test data with batch size 32, each with "
    f"{finetuning.MOST} random items or all of them. The peer is a Hugging Face Trainer with default settings on the same weights "
    "and rows. Padding to 512 is timed on 32 and 64 items. Scores are on the test data after three epochs with one seed, with 95 % "
    "intervals; a line holds unless our score is significantly lower. `python -m benchmarks --only fine-tuning` measures this "
    "section alone."
)
LANGUAGE_MODELS_NOTE = (
    f"SmolLM2-135M, {likelihoods.SHOTS} few-shot examples; the peer is lm-evaluation-harness 0.4.13 with identical weights, prompts "
    f"and options, at the fastest of the batch sizes 1, 4 and 8. For each of {likelihoods.DRAWS} samples of few-shot examples, "
    f"gluepot runs {likelihoods.ITEMS} evenly spaced items of the set and the harness {likelihoods.PEER_ITEMS} of them, because its "
    "rate does not depend on their number. `python -m benchmarks --only likelihoods` measures this section alone."
)
STEPS_NOTE = (
    "The second table shows the contribution of each optimisation: items/s on 12 items, with the optimisations enabled one after "
    "the other. The options are words and phrases in SweSAT, whole sentences in PARus and the continuations, and letters in "
    "talemåder and ARC, for which the harness also needs only one pass per question. Continuations are made from treebank "
    "sentences in the style of HellaSwag: two context sentences, then four possible next ones. The longer the few-shot examples, "
    "the more is shared."
)
UTILIZATION_NOTE = (
    "Useful floating-point operations (products of real tokens with every weight matrix of the layers, attention between tokens "
    "that attend to each other, logits that are used; three times as many in training) compared with the machine's rate for "
    "products with the matrices of a layer, plain or packed, at 128 to 4,096 tokens, whichever is fastest, in the same process on "
    "one thread, by CPU time. Padding, softmax, norms and data loading count as no work, and the last layer counts only for tokens "
    "whose output is used. bf16 is listed where `--precision auto` selects it, and has a target where the processor has AMX. "
    "SmolLM2-135M on SweSAT, MiniLM on BasqueGLUE's QNLI. "
    "`python -m benchmarks --only utilization` measures this section alone."
)
GGUF_NOTE = (
    "CPU seconds in fp32 on one thread, each in a fresh process: the first time, the file is parsed and the weights are cached; "
    "from the second time on they are memory-mapped. `python -m benchmarks --only gguf-start` measures this section alone, with "
    "SmolLM2 and the files listed in GLUEPOT_GGUF."
)
VECTORS_NOTE = (
    "`gluepot vectors train` on the texts of all suites whose data are available, each text once, never the answers: the training "
    "texts, which are too few, and those of the other splits. 100 dimensions, minimum word count 3; fastText's n-grams of 4 to 6 "
    f"letters are the best of three settings tried on these very pairs. Speed by CPU time over {trained_vectors.TIMED_EPOCHS} "
    "epochs. SuperSim pairs in Superlim's edition, Spearman's ρ over the pairs for which both words have vectors, 95 % bootstrap "
    "intervals. Random vectors have word2vec's vocabulary. `python -m benchmarks --only trained-vectors` measures this section "
    "alone."
)


@dataclass(frozen=True)
class Section:
    """A part of the page, and whether what is wanted of it holds."""

    text: str
    holds: bool


def make_section(title: str, note: str, machine: Machine, *results: str, holds: bool) -> Section:
    """The results come under the name of the machine: the page keeps those of other machines."""
    measured = [f"### {machine.name}", f"Load average {machine.load:.1f} at the start.", *results]
    return Section("\n\n".join([f"## {title}", note, *measured]), holds)


def measure_finetuning() -> Section:
    machine, lines = this_machine(), list(finetuning.compare(quick=False))
    held = all(line.holds for line in lines)
    return make_section("Fine-tuning an encoder", ALL_CORES_NOTE + FINETUNING_NOTE, machine, finetuning_table(lines), holds=held)


def measure_likelihoods() -> Section:
    machine, lines = this_machine(), list(likelihoods.compare())
    note, held = f"{ONE_THREAD_NOTE}{LANGUAGE_MODELS_NOTE}\n\n{STEPS_NOTE}", all(line.holds for line in lines)
    return make_section("Options by likelihood", note, machine, likelihood_table(lines), steps_table(lines), holds=held)


def measure_utilization() -> Section:
    machine, lines = this_machine(), utilization.measure()
    held = all(line.holds for line in lines)
    return make_section("Distance from the machine", UTILIZATION_NOTE, machine, share_table(lines), holds=held)


def measure_starts() -> Section:
    machine, lines = this_machine(), list(gguf_start.measure(gguf_start.files()))
    return make_section("Start of a GGUF file", GGUF_NOTE, machine, start_table(lines), holds=all(line.holds for line in lines))


def measure_trained_vectors() -> Section:
    machine = this_machine()
    with TemporaryDirectory() as folder:
        return vectors_section(trained_vectors.compare(Path(folder)), machine)


def vectors_section(found: trained_vectors.Findings, machine: Machine) -> Section:
    note = f"{VECTORS_NOTE} The corpus has {found.corpus}."
    claims = table(["claim", "holds"], [[claim, yes(held)] for claim, held in found.claims.items()])
    results = (quality_table(found.quality), speed_table(found.speed), claims)
    return make_section("Word vectors trained here", note, machine, *results, holds=all(found.claims.values()))


PARTS = {
    "fine-tuning": (measure_finetuning, finetuning.missing_requirements),
    "likelihoods": (measure_likelihoods, likelihoods.missing_requirements),
    "utilization": (measure_utilization, utilization.missing_requirements),
    "gguf-start": (measure_starts, gguf_start.missing_requirements),
    "trained-vectors": (measure_trained_vectors, trained_vectors.missing_requirements),
}


def measure(part: str) -> Section | None:
    """One part; None where libraries, weights or data are not at hand, which is told."""
    work, missing_requirements = PARTS[part]
    if why := missing_requirements():
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


def likelihood_table(lines: Sequence[likelihoods.Line]) -> str:
    header = [
        "task",
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
            f"{line.items:,}",
            f"{line.peer_rate:.2f}",
            str(line.batch),
            f"{line.rate:.2f}",
            f"{line.ratio:.1f}×",
            f"{line.wanted:g}×",
            f"{line.apart:.1g}",
            f"{line.same:.1%}",
            yes(line.holds),
        ]
        for line in lines
    ]
    return table(header, rows)


def steps_table(lines: Sequence[likelihoods.Line]) -> str:
    names = list(lines[0].steps)
    return table(["task", *names], [[line.task, *(f"{line.steps[name]:.2f}" for name in names)] for line in lines])


def share_table(lines: Sequence[utilization.Share]) -> str:
    rows = [
        [
            line.work,
            line.precision,
            f"{line.tokens:,}",
            f"{line.gflops:.0f}",
            f"{line.machine:.0f}",
            f"{line.share:.0%}",
            f"{line.wanted:.0%}" if line.wanted else "–",
            yes(line.holds),
        ]
        for line in lines
    ]
    return table(["work", "precision", "tokens", "useful GFLOP/s", "products, GFLOP/s", "share", "wanted", "holds"], rows)


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
