"""Texts as one file of words: plain or gzipped files, folders of them, or standard input; a sentence or paragraph a line."""

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
from gluepot.files import write_whole
from gluepot.models.embeddings.words import find_words
from gluepot.plurals import pluralize

LONGEST = 5_000
"""Words of a line; gensim cuts what has more than 10,000."""
PIECE = 1_000_000
"""Letters that are read at once of a line without end."""
GZIP = b"\x1f\x8b"
STDIN = "-"
TOKENS, FACTS = "tokens.txt", "corpus.json"


class TokenizedCorpus(Struct, frozen=True):
    """What was read."""

    texts: list[str]
    """The names of the files, or `-`."""
    fingerprint: str
    """Of all words in their order."""
    lines: int
    tokens: int
    cased: bool
    stamps: list[str] = []
    """Sizes and dates of the files, by which a later start sees that they are the same."""

    def path(self, work: Path) -> Path:
        return work / TOKENS


def tokenize(texts: Sequence[str], work: Path, *, cased: bool, say: Callable[[str], None]) -> TokenizedCorpus:
    """Write the words of some texts to one file in the folder of the training; done once, if the texts stay as they are."""
    files = list(_find_files(texts, work))
    stamps = [STDIN if file is None else f"{file.resolve()} {file.stat().st_size} {file.stat().st_mtime_ns}" for file in files]
    before = _read_facts(work)
    if before and (before.stamps, before.cased) == (stamps, cased) and STDIN not in stamps:
        say(f"{pluralize(before.tokens, 'word')}, read before")
        return before
    corpus = _write_tokens(files, stamps, work / f".{TOKENS}", cased=cased, say=say)
    (work / f".{TOKENS}").replace(work / TOKENS)
    write_whole(work / FACTS, json.encode(corpus))
    say(f"{pluralize(corpus.tokens, 'word')} in {pluralize(corpus.lines, 'line')}")
    return corpus


def _find_files(texts: Sequence[str], work: Path) -> Iterator[Path | None]:
    """The files of texts, None for standard input; what a training writes beside them is none."""
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
    """A file, or all files below a folder but hidden ones, in the order of their names."""
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
    """What was read before, if the words are still there."""
    try:
        found = json.decode((work / FACTS).read_bytes(), type=TokenizedCorpus)
    except (OSError, MsgspecError):
        return None
    return found if (work / TOKENS).is_file() else None


def _words(file: Path | None, *, cased: bool) -> Iterator[list[str]]:
    """The words of each line that has some."""
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
    """Its lines as texts; one that is longer than memory should hold comes in pieces, cut between words."""
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
