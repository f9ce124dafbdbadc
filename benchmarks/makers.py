"""Makers at scale: near-copies among many texts, and acceptability from a large treebank."""

import json
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

TEXTS, SENTENCES = 400_000, 100_000
LOOPED = 3_000
"""Number of texts that the plain loop is timed on; its time grows quadratically."""
VOCABULARY = 50_000


@dataclass(frozen=True)
class MakerLine:
    """Measurement compared with a limit or a peer."""

    name: str
    n: int
    seconds: float
    limit: float
    memory: float = 0.0
    """Peak memory in bytes; 0 if not measured."""
    memory_limit: float = 0.0
    peer: str = ""
    peer_seconds: float = 0.0

    @property
    def holds(self) -> bool:
        return self.seconds <= self.limit and (not self.memory_limit or self.memory <= self.memory_limit)


NOTE = (
    "Synthetic data with natural word frequencies. CPU time of one core, user and system: waiting for other processes is excluded, "
    "although shared caches can increase it. Memory is the peak resident size of a separate process. The peer compares every text "
    f"with every earlier one; it is timed on {LOOPED:,} texts and scaled quadratically. `python -m benchmarks --only makers` "
    "measures this section alone."
)


def makers_section(lines: Sequence[MakerLine]) -> str:
    """Return the section of the page."""
    header = "| what | n | ours | at most | plain loop | peak memory | at most | holds |\n| --- | --- | --- | --- | --- | --- | --- | --- |"
    rows = []
    for line in lines:
        loop = f"{line.peer_seconds / 3600:,.1f} h" if line.peer_seconds else "–"
        memory, most = (f"{size / 1e6:,.0f} MB" if size else "–" for size in (line.memory, line.memory_limit))
        cells = [
            line.name,
            f"{line.n:,}",
            f"{line.seconds:.1f} s",
            f"{line.limit:g} s",
            loop,
            memory,
            most,
            "yes" if line.holds else "**no**",
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n\n".join(["## Makers on a large scale", NOTE, "\n".join([header, *rows])])


def some_texts(count: int) -> list[list[str]]:
    """Generate texts with natural word frequencies; every tenth is a copy of an earlier one with one word replaced."""
    rng = random.Random(0)
    weights = [1 / (rank + 3) for rank in range(VOCABULARY)]
    cumulative = _running(weights)
    words = [f"w{rank}" for rank in range(VOCABULARY)]
    texts: list[list[str]] = []
    for number in range(count):
        if number % 10 == 9:
            copy = list(texts[rng.randrange(number)])
            copy[rng.randrange(len(copy))] = rng.choice(words)
            texts.append(copy)
        else:
            texts.append(rng.choices(words, cum_weights=cumulative, k=rng.randint(5, 25)))
    return texts


def _running(weights: list[float]) -> list[float]:
    total, found = 0.0, []
    for weight in weights:
        total += weight
        found.append(total)
    return found


def plain_loop(texts: list[list[str]]) -> int:
    """Count near-copies by comparing every text with every earlier one."""
    sets = [frozenset(text) for text in texts]
    return sum(any(len(a & b) >= 0.8 * len(a | b) for a in sets[:place]) for place, b in enumerate(sets))


def measure(quick: bool) -> Iterator[MakerLine]:
    from gluepot.build.artefacts.near_copies import near_pairs

    count = 20_000 if quick else TEXTS
    texts = some_texts(count)
    start = process_time()
    near_pairs(texts)
    ours = process_time() - start
    start = process_time()
    looped = plain_loop(texts[:LOOPED])
    theirs = (process_time() - start) * (count / LOOPED) ** 2
    assert looped == len(near_pairs(texts[:LOOPED]))
    yield MakerLine("near-copies among texts", count, ours, 60, peer="a loop over sets, scaled up", peer_seconds=theirs)
    yield scala(5_000 if quick else SENTENCES)


def treebank(path: Path, sentences: int) -> None:
    """Write synthetic sentences of 8 to 30 tokens with parts of speech."""
    rng = random.Random(0)
    tags = ("NOUN", "VERB", "PRON", "ADP", "DET", "ADJ", "ADV", "AUX", "CCONJ", "PROPN")
    with path.open("w", encoding="utf-8") as file:
        for number in range(sentences):
            chosen = ["PRON", *rng.choices(tags, k=rng.randint(6, 28)), "PUNCT"]
            forms = [f"o{rng.randrange(VOCABULARY)}" for _ in chosen[:-1]] + ["."]
            lines = [
                f"{n}\t{form}\t{form}\t{tag}\t_\t_\t0\t_\t_\tstart_char={n}"
                for n, (form, tag) in enumerate(zip(forms, chosen, strict=True), 1)
            ]
            file.write("\n".join([f"# sent_id = {number}", f"# text = {' '.join(forms)}", *lines]) + "\n\n")


def scala(sentences: int) -> MakerLine:
    """Measure `build scala` on a synthetic treebank, in a separate process for its memory."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "xx_large-ud-train.conllu"
        treebank(path, sentences)
        part = sentences // 20
        words = ["build", "scala", str(path), "--to", f"{folder}/suite/scala", "--sizes", f"{8 * part},{part},{8 * part}", "--json"]
        run = subprocess.run([sys.executable, "-c", _CHILD, *words], capture_output=True, text=True, check=True)
        seconds, memory = json.loads(run.stderr.splitlines()[-1])
    return MakerLine("`build scala`, artefact report included", sentences, seconds, 20, memory, 500e6)


# Not ru_maxrss: a child starts with that of its parent process, which holds all the texts.
_CHILD = """
import json, resource, sys
from gluepot.cli import main
code = main(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_SELF)
peak = next((int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")), used.ru_maxrss)
print(json.dumps([used.ru_utime + used.ru_stime, peak * 1024]), file=sys.stderr)
sys.exit(code)
"""


if __name__ == "__main__":
    print(makers_section(list(measure(quick="--quick" in sys.argv))))
