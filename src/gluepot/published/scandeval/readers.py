"""Readers of the files of ScandEval's Danish part."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from gluepot.data.readers import read_json, read_parquet, read_tsv
from gluepot.tasks.formats import READERS, Record


@READERS.register("json-options")
def read_json_options(files: Sequence[Path], split: str) -> Iterator[Record]:
    """Read a JSON array with option_a, option_b… and the answer as a letter (ARC and MMLU in Danish)."""
    for record in read_json(files, split):
        options = [record[f"option_{letter}"] for letter in "abcdefgh" if record.get(f"option_{letter}") is not None]
        answer = record.get("answer")
        yield {**record, "options": options, "label": None if answer is None else "ABCDEFGH".index(answer)}


@READERS.register("talemaader")
def read_talemaader(files: Sequence[Path], split: str) -> Iterator[Record]:
    """Read the 1,000 Danish idioms: options in one file, answers in another; splits are drawn as by ScandEval."""
    options, answers = (list(read_tsv([path], split)) for path in files)
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
    """Reproduce scikit-learn's train_test_split with random_state 4242, applied twice: 64 for val, then 128 for train."""
    from numpy.random import RandomState

    if split == "all":
        return list(range(size))
    order = RandomState(4242).permutation(size)
    val, rest = order[:64], order[64:]
    order = RandomState(4242).permutation(len(rest))
    test, train = rest[order[: len(rest) - 128]], rest[order[len(rest) - 128 :]]
    chosen: list[int] = {"train": train, "val": val, "test": test}[split].tolist()
    return chosen


@READERS.register("parquet-choice")
def read_parquet_choice(files: Sequence[Path], split: str) -> Iterator[Record]:
    """Read ScandEval's multiple choice: the options are lines at the end of the text, the label is a letter."""
    for record in read_parquet(files, split):
        question, options = split_options(record["text"])
        yield {**record, "text": question, "options": options, "label": "abcdefgh".index(record["label"])}


def split_options(text: str) -> tuple[str, list[str]]:
    """Split a text into the question and its options.

    >>> split_options("Hvad er 1+1?\\nSvarmuligheder:\\na. 2\\nb. 3")
    ('Hvad er 1+1?', ['2', '3'])
    """
    lines = text.rstrip().split("\n")
    first = next((i for i in range(len(lines) - 1, -1, -1) if lines[i].startswith("a. ")), len(lines))
    head = lines[:first]
    if head and head[-1].rstrip().endswith(":") and len(head) > 1:
        head = head[:-1]
    return "\n".join(head), [line[3:] for line in lines[first:]]
