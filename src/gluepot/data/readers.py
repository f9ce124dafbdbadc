"""Readers of official formats, by name. A reader turns a split's files into flat records that `[fields]` can point into."""

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from gluepot.errors import DataMissing, GluepotError
from gluepot.registry import Registry

Record = dict[str, Any]
Reader = Callable[[Sequence[Path], str], Iterator[Record]]
"""Takes the files of a split, in order, and the split's name."""

READERS: Registry[Reader] = Registry("reader")
_DECODER = msgspec.json.Decoder()
_BOM = b"\xef\xbb\xbf"


@READERS.register("jsonl")
def read_jsonl(files: Sequence[Path], _split: str) -> Iterator[Record]:
    """One JSON object a line; CRLF, a byte order mark, blank lines and a missing last newline are all the same to it."""
    for path in files:
        data = path.read_bytes().removeprefix(_BOM)
        try:
            yield from _DECODER.decode_lines(data)
        except msgspec.DecodeError:
            yield from _read_lines(path, data)


def _read_lines(path: Path, data: bytes) -> Iterator[Record]:
    """Line by line with the more patient standard decoder, for the place of an error."""
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            try:
                yield json.loads(line)
            except ValueError as error:
                raise GluepotError(f"{path}:{number}: not JSON: {error}.") from error


@READERS.register("json")
def read_json(files: Sequence[Path], _split: str) -> Iterator[Record]:
    """One JSON array of objects a file."""
    for path in files:
        try:
            yield from _DECODER.decode(path.read_bytes().removeprefix(_BOM))
        except msgspec.DecodeError as error:
            raise GluepotError(f"{path}: not JSON: {error}.") from error


@READERS.register("json-options")
def read_json_options(files: Sequence[Path], split: str) -> Iterator[Record]:
    """A JSON array with option_a, option_b… and the answer as a letter (ARC and MMLU in Danish)."""
    for record in read_json(files, split):
        options = [record[f"option_{letter}"] for letter in "abcdefgh" if record.get(f"option_{letter}") is not None]
        answer = record.get("answer")
        yield {**record, "options": options, "label": None if answer is None else "ABCDEFGH".index(answer)}


@READERS.register("parus")
def read_parus(files: Sequence[Path], split: str) -> Iterator[Record]:
    """PARus: two choices in fields of their own."""
    for record in read_jsonl(files, split):
        yield {**record, "options": [record["choice1"], record["choice2"]]}


@READERS.register("muserc")
def read_muserc(files: Sequence[Path], split: str) -> Iterator[Record]:
    """MuSeRC: questions nested in passages, answers in questions; out comes one record a question."""
    for record in read_jsonl(files, split):
        passage = record["passage"]
        for question in passage["questions"]:
            answers = question["answers"]
            known = all("label" in answer for answer in answers)
            yield {
                "id": f"{record['idx']}/{question['idx']}",
                "passage_id": record["idx"],
                "passage": passage["text"],
                "question": question["question"],
                "answers": [answer["text"] for answer in answers],
                "right": [i for i, answer in enumerate(answers) if int(answer["label"]) == 1] if known else None,
            }


@READERS.register("rucos")
def read_rucos(files: Sequence[Path], split: str) -> Iterator[Record]:
    """RuCoS: queries nested beside a passage whose entities are given as character spans."""
    for record in read_jsonl(files, split):
        passage, queries = record["passage"], record["qas"]
        text = passage["text"]
        entities = list(dict.fromkeys(text[e["start"] : e["end"]] for e in passage["entities"]))
        for query in queries:
            yield {
                "id": str(record["idx"]) if len(queries) == 1 else f"{record['idx']}/{query['idx']}",
                "passage_id": record["idx"],
                "passage": text,
                "query": query["query"],
                "entities": entities,
                "answers": [answer["text"] for answer in query["answers"]] if "answers" in query else None,
            }


@READERS.register("word-spans")
def read_word_spans(files: Sequence[Path], split: str) -> Iterator[Record]:
    """Two spans given by their words and a word number (RWSD, EpecKorrefBin); character offsets are added."""
    for record in read_jsonl(files, split):
        target, text = record["target"], record["text"]
        for number in (1, 2):
            span, index = target[f"span{number}_text"], target[f"span{number}_index"]
            start = locate_words(text, span, index)
            record[f"span{number}"] = span
            record[f"span{number}_start"], record[f"span{number}_end"] = start, start + len(span)
        yield record


def word_offset(text: str, index: int) -> int:
    """The character at which the `index`-th white-space separated word begins.

    >>> word_offset("en katt sover", 2)
    8
    """
    position = 0
    for _ in range(index):
        position += len(text[position:]) - len(text[position:].lstrip())
        position += len(text[position:].split(maxsplit=1)[0]) if text[position:].strip() else 0
    return position + len(text[position:]) - len(text[position:].lstrip())


def locate_words(text: str, span: str, index: int) -> int:
    """Where `span` stands: the occurrence nearest to the word number, for files that count from 1 or miscount.

    >>> locate_words("hon såg att hon sov", "hon", 3)
    12
    """
    wanted = word_offset(text, index)
    places = [i for i in range(len(text) - len(span) + 1) if text.startswith(span, i)]
    return min(places, key=lambda place: abs(place - wanted), default=wanted)


@READERS.register("talemaader")
def read_talemaader(files: Sequence[Path], split: str) -> Iterator[Record]:
    """The 1,000 Danish idioms: options in one file, answers in another; ScandEval's splits drawn as it draws them."""
    options, answers = (_read_tsv(path) for path in files)
    right = {row["talemaade_udtryk"]: row for row in answers}
    records = []
    for row in options:
        answer = right[row["talemaade_udtryk"]]
        records.append(
            {
                "id": answer["udtryk_id"],
                "expression": row["talemaade_udtryk"],
                "options": [row[letter] for letter in "ABCD"],
                "label": int(answer["korrekt_def"]),
            }
        )
    for index in _talemaader_split(len(records), split):
        yield records[index]


def _talemaader_split(size: int, split: str) -> list[int]:
    """scikit-learn's train_test_split with random_state 4242, twice: 64 for val, then 128 for train."""
    from numpy.random import RandomState

    if split == "all":
        return list(range(size))
    order = RandomState(4242).permutation(size)
    val, rest = order[:64], order[64:]
    order = RandomState(4242).permutation(len(rest))
    test, train = rest[order[: len(rest) - 128]], rest[order[len(rest) - 128 :]]
    chosen: list[int] = {"train": train, "val": val, "test": test}[split].tolist()
    return chosen


@READERS.register("supersim-tsv")
def read_supersim_tsv(files: Sequence[Path], _split: str) -> Iterator[Record]:
    """SuperSim's own distribution: two words, five judgments, their mean; headers padded with spaces."""
    for path in files:
        for row in _read_tsv(path):
            cells = {name.strip(): cell.strip() for name, cell in row.items()}
            judgments = [float(cell) for name, cell in cells.items() if name.startswith("Anno")]
            origin = cells.get("Origin")
            yield {
                "word_1": cells["Word 1"],
                "word_2": cells["Word 2"],
                "judgments": judgments,
                "label": float(cells["Average"]),
                **({"origin": origin} if origin else {}),
            }


@READERS.register("parquet")
def read_parquet(files: Sequence[Path], _split: str) -> Iterator[Record]:
    """One record a row."""
    try:
        from pyarrow.parquet import read_table
    except ModuleNotFoundError as error:
        raise DataMissing("Parquet files need pyarrow: pip install 'gluepot[parquet]'.") from error
    for path in files:
        yield from read_table(path).to_pylist()


@READERS.register("parquet-choice")
def read_parquet_choice(files: Sequence[Path], split: str) -> Iterator[Record]:
    """ScandEval's multiple choice: the options are lines at the end of the text, the label is a letter."""
    for record in read_parquet(files, split):
        question, options = split_options(record["text"])
        yield {**record, "text": question, "options": options, "label": "abcdefgh".index(record["label"])}


def split_options(text: str) -> tuple[str, list[str]]:
    """The question and its options from one text.

    >>> split_options("Hvad er 1+1?\\nSvarmuligheder:\\na. 2\\nb. 3")
    ('Hvad er 1+1?', ['2', '3'])
    """
    lines = text.rstrip().split("\n")
    first = next((i for i in range(len(lines) - 1, -1, -1) if lines[i].startswith("a. ")), len(lines))
    head = lines[:first]
    if head and head[-1].rstrip().endswith(":") and len(head) > 1:
        head = head[:-1]
    return "\n".join(head), [line[3:] for line in lines[first:]]


def _read_tsv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))
