"""Cache of API answers: lines damaged by a kill or a bad disk are dropped with a notice and requested again, the rest stays."""

from multiprocessing import get_context
from pathlib import Path

import pytest

from gluepot.errors import GluepotError
from gluepot.models.api.cache import AnswerCache, ApiAnswer
from gluepot.models.api.spending import Spending

SPOILT = {
    "no JSON": b'{"key": "b", "text',
    "not UTF-8": b'{"key": "b", "text": "\xff\xfe"}',
    "zeroes": b"\0" * 300,
    "another type": b'{"key": "b", "text": 5}',
    "an array": b"[]",
    "deep nesting": b'{"key": "b", "text": "x", "more": ' + b"[" * 100_000 + b"}",
    "two lines in one": b'{"key": "b", "te{"key": "d", "text": "x"}',
}


def filled(folder: Path) -> AnswerCache:
    cache = AnswerCache("http://x/v1", "m", folder)
    for key in "abc":
        cache.add(ApiAnswer(key, f"answer {key}", 3, 1))
    return cache


def spoil(path: Path, line: bytes) -> None:
    first, _, third = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([first, line, third, b""]))


@pytest.mark.parametrize("line", SPOILT.values(), ids=SPOILT)
def test_damaged_line_is_dropped_with_one_notice_and_the_others_stay(
    tmp_path: Path, line: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    path = filled(tmp_path).path
    spoil(path, line)
    cache = AnswerCache("http://x/v1", "m", tmp_path)
    assert capsys.readouterr().err == f"{path}: 1 line of kept answers cannot be read; they are dropped and asked for again.\n"
    assert sorted(cache.known) == ["a", "c"]
    cache.add(ApiAnswer("b", "asked again"))
    again = AnswerCache("http://x/v1", "m", tmp_path)
    assert capsys.readouterr().err == "", "said once"
    assert {key: answer.text for key, answer in again.known.items()} == {"a": "answer a", "b": "asked again", "c": "answer c"}


def test_partial_last_line_is_truncated_without_a_notice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = filled(tmp_path).path
    path.write_bytes(path.read_bytes()[:-10])
    assert sorted(AnswerCache("http://x/v1", "m", tmp_path).known) == ["a", "b"]
    assert capsys.readouterr().err == ""
    assert path.read_bytes().endswith(b"\n")


def add_many(folder: Path, name: str) -> None:
    cache = AnswerCache("http://x/v1", "m", folder)
    for number in range(50):
        cache.add(ApiAnswer(f"{name}{number}", "x" * 2000))


def test_repair_preserves_answers_of_concurrent_processes(tmp_path: Path) -> None:
    path = filled(tmp_path).path
    spoil(path, SPOILT["zeroes"])
    writers = [get_context("spawn").Process(target=add_many, args=(tmp_path, name)) for name in "xy"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(AnswerCache("http://x/v1", "m", tmp_path).known) == 102


def test_unreadable_ledger_is_an_error_with_location_and_remedy(tmp_path: Path) -> None:
    ledger = tmp_path / "spent.txt"
    ledger.write_bytes(b"100 5\n\0\0\0\n200 7\n")
    with pytest.raises(GluepotError, match=r"spent.txt: byte 7: not two numbers.* Mend the line, or delete the file"):
        Spending("1,1", 5.0, ledger).check()
