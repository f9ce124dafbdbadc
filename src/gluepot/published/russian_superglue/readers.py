"""Readers of Russian SuperGLUE's nested files."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from gluepot.data.readers import read_jsonl
from gluepot.tasks.formats import READERS, Record


@READERS.register("parus")
def read_parus(files: Sequence[Path], split: str) -> Iterator[Record]:
    """Read PARus: two choices in separate fields."""
    for record in read_jsonl(files, split):
        yield {**record, "options": [record["choice1"], record["choice2"]]}


@READERS.register("muserc")
def read_muserc(files: Sequence[Path], split: str) -> Iterator[Record]:
    """Read MuSeRC: questions nested in passages, answers in questions; yields one record per question."""
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
    """Read RuCoS: queries beside a passage whose entities are given as character spans."""
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
