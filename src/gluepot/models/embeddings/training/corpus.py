"""Tokenization of texts into one file: plain or gzipped files, folders, or standard input, with one sentence or paragraph per line."""

import gzip
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO

from msgspec import MsgspecError, Struct, json

from gluepot.errors import DataMissing, GluepotError
from gluepot.files import write_atomically
from gluepot.models.embeddings.words import find_words
from gluepot.plurals import pluralize

LONGEST = 5_000
"""Maximum words of a line; gensim truncates lines of more than 10,000."""
PIECE = 1_000_000
"""Characters read at a time from an overlong line."""
GZIP = b"\x1f\x8b"
STDIN = "-"
TOKENS, FACTS = "tokens.txt", "corpus.json"


class TokenizedCorpus(Struct, frozen=True):
    """Facts of a tokenized corpus."""

    texts: list[str]
    """File names, or `-`."""
    fingerprint: str
    """Hash of all words in order."""
    lines: int
    tokens: int
    cased: bool
    stamps: list[str] = []
    """Paths, sizes and modification times of the files, to detect changes at a later start."""

    def path(self, work: Path) -> Path:
        return work / TOKENS


def tokenize(texts: Sequence[str], work: Path, *, cased: bool, say: Callable[[str], None]) -> TokenizedCorpus:
    """Write the words of texts to one file in the training folder; reused if the texts are unchanged."""
    files = list(_find_files(texts, work))
    stamps = [STDIN if file is None else f"{file.resolve()} {file.stat().st_size} {file.stat().st_mtime_ns}" for file in files]
    before = _read_facts(work)
    if before and (before.stamps, before.cased) == (stamps, cased) and STDIN not in stamps:
        say(f"{pluralize(before.tokens, 'word')}, read before")
        return before
    corpus = _write_tokens(files, stamps, work / f".{TOKENS}", cased=cased, say=say)
    (work / f".{TOKENS}").replace(work / TOKENS)
    write_atomically(work / FACTS, json.encode(corpus))
    say(f"{pluralize(corpus.tokens, 'word')} in {pluralize(corpus.lines, 'line')}")
    return corpus


def _find_files(texts: Sequence[str], work: Path) -> Iterator[Path | None]:
    """Yield the files of texts, None for standard input; files in the training folder are excluded."""
    for text in texts:
        if text == STDIN:
            yield None
        else:
            yield from (file for file in find_texts(Path(text).expanduser()) if work.resolve() not in file.resolve().parents)


def _write_tokens(files: Sequence[Path | None], stamps: list[str], to: Path, *, cased: bool, say: Callable[[str], None]) -> TokenizedCorpus:
    digest, lines, tokens = sha256(), 0, 0
    with to.open("w", encoding="utf-8") as target:
        for words in (words for file in files for words in _words(file, cased=cased)):
            line = " ".join(words) + "\n"
            target.write(line)
            digest.update(line.encode())
            lines, tokens = lines + 1, tokens + len(words)
            if lines % 500_000 == 0:
                say(f"{pluralize(tokens, 'word')} read")
    names = [STDIN if file is None else file.name for file in files]
    return TokenizedCorpus(names, digest.hexdigest()[:16], lines, tokens, cased, stamps)


def find_texts(path: Path) -> list[Path]:
    """Return a file, or all files below a folder except hidden ones, sorted by path."""
    if not path.exists():
        raise DataMissing(f"{path}: no such file or folder of texts.")
    if path.is_file():
        return [path]
    found = sorted(
        file for file in path.rglob("*") if file.is_file() and not any(part.startswith(".") for part in file.relative_to(path).parts)
    )
    if not found:
        raise DataMissing(f"{path}: the folder has no texts.")
    return found


def _read_facts(work: Path) -> TokenizedCorpus | None:
    """Return the facts of an earlier tokenization, if its words still exist."""
    try:
        found = json.decode((work / FACTS).read_bytes(), type=TokenizedCorpus)
    except (OSError, MsgspecError):
        return None
    return found if (work / TOKENS).is_file() else None


def _words(file: Path | None, *, cased: bool) -> Iterator[list[str]]:
    """Yield the words of each non-empty line, split at LONGEST words."""
    stream = sys.stdin.buffer if file is None else _open(file)
    try:
        for text in _lines(stream):
            words = find_words(text if cased else text.lower())
            for start in range(0, len(words), LONGEST):
                yield words[start : start + LONGEST]
    except UnicodeDecodeError as error:
        raise GluepotError(f"{file or STDIN}: is not text in UTF-8 ({error.reason}).") from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise GluepotError(f"{file}: the gzip file is broken ({error}).") from error
    finally:
        if file is not None:
            stream.close()


def _lines(stream: BinaryIO | gzip.GzipFile) -> Iterator[str]:
    """Yield the lines of a stream; overlong lines are split between words to limit memory."""
    rest = ""
    text = TextIOWrapper(stream, encoding="utf-8", newline="\n")
    try:
        while piece := text.readline(PIECE):
            whole = rest + piece
            ended = len(piece) < PIECE or piece.endswith("\n")
            cut = len(whole) if ended else whole.rfind(" ") + 1 or len(whole)
            yield whole[:cut]
            rest = whole[cut:]
        yield rest
    finally:
        text.detach()  # standard input stays open


def _open(file: Path) -> BinaryIO | gzip.GzipFile:
    with file.open("rb") as head:
        packed = head.read(2) == GZIP
    return gzip.open(file, "rb") if packed else file.open("rb")
