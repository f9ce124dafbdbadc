"""Strict JSON Lines: every fault with its line, and detection of duplicate keys in every spelling."""

import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluepot.records import Problem
from gluepot.submissions.parsing import lines
from gluepot.submissions.parsing.lines import LONGEST_LINE, decode_strictly, read_lines
from gluepot.submissions.problems import HOPELESS, Problems


def read(data: bytes) -> tuple[list[tuple[int, dict[str, Any]]], list[Problem]]:
    problems = Problems()
    rows = list(read_lines(io.BytesIO(data), "a.jsonl", problems))
    assert sum(record is None for _, record in rows) <= problems.count()
    return [(number, record) for number, record in rows if record is not None], problems.listed()


def only_problem(data: bytes) -> Problem:
    _, (problem,) = read(data)
    assert problem.file == "a.jsonl"
    assert problem.hint
    return problem


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf", b"\n\n"])
@pytest.mark.parametrize("last", [True, False])
def test_ignores_line_endings_byte_order_marks_blank_lines_and_a_missing_last_newline(ending: bytes, start: bytes, last: bool) -> None:
    data = start + ending.join([b'{"a":1}', b"", b"  ", b'{"a":2}']) + (ending if last else b"")
    rows, problems = read(data)
    assert problems == []
    first = 1 + start.count(b"\n")
    assert rows == [(first, {"a": 1}), (first + 3, {"a": 2})]


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        (b'{"a":1', "broken-json", "not JSON at column 7"),
        (b"{'a':1}", "broken-json", "not JSON at column 2"),
        (b'{"a":01}', "broken-json", "column 7"),
        (b'{"a":1}{"a":2}', "broken-json", "Extra data"),
        (b'{"a":1} {"a":2}', "broken-json", "Extra data"),
        (b'{"a":"\x01"}', "broken-json", "control character"),
        (b"\x00", "broken-json", "column 1"),
        (b'{"a":"\xff"}', "not-utf8", "byte 7 is not UTF-8"),
        (b'{"\xc3":1}', "not-utf8", "byte 3 is not UTF-8"),
        (b'{"a":"\\ud800"}', "not-utf8", "half a character"),
        (b'{"\\uDC00":1}', "not-utf8", "half a character"),
        (b'{"a":NaN}', "not-a-number", "NaN is not JSON"),
        (b'{"a":[-Infinity]}', "not-a-number", "-Infinity is not JSON"),
        (b'{"a":' + b"9" * 5000 + b"}", "not-a-number", "thousands of digits"),
        (b"[1]", "wrong-type", "an array, not an object"),
        (b'"text"', "wrong-type", "a string, not an object"),
        (b"12", "wrong-type", "a number, not an object"),
        (b"1.5", "wrong-type", "a number, not an object"),
        (b"true", "wrong-type", "true or false, not an object"),
        (b"null", "wrong-type", "null, not an object"),
        (b"[" * 100_000 + b"]" * 100_000, "too-deep", "nested too deeply"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "too-deep", "nested too deeply"),
        (b"[" * 500_000, "too-deep", "nested too deeply"),
    ],
    ids=lambda value: value[:20] if isinstance(value, bytes | str) else None,
)
def test_a_line_that_is_not_a_record_is_a_problem_with_its_line(line: bytes, code: str, message: str) -> None:
    rows, (problem,) = read(b'{"a":1}\n' + line + b'\n{"a":3}\n')
    assert [number for number, _ in rows] == [1, 3]
    assert (problem.file, problem.line, problem.code) == ("a.jsonl", 2, code)
    assert message in problem.message
    assert problem.hint


def test_several_faults_are_all_reported_at_once() -> None:
    data = b'{"a":1}\n{"a":\n{"a":1,"a":2}\n\xff\n{"a":NaN}\n[]\n{"a":1}'
    rows, problems = read(data)
    assert [number for number, _ in rows] == [1, 7]
    assert [(p.line, p.code) for p in problems] == [
        (2, "broken-json"),
        (3, "duplicate-key"),
        (4, "not-utf8"),
        (5, "not-a-number"),
        (6, "wrong-type"),
    ]


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", b"\n\n \r\n", b" "])
def test_a_file_without_records_is_empty(data: bytes) -> None:
    assert only_problem(data).code == "empty-file"


def test_utf16_is_reported_once() -> None:
    problem = only_problem('{"id": 1}\n{"id": 2}\n'.encode("utf-16"))
    assert (problem.code, problem.message, problem.hint) == ("not-utf8", "the file is UTF-16.", "Save the file as UTF-8.")


@pytest.mark.parametrize(
    "data",
    [b'[\n{"a":1},\n{"a":2}\n]\n', b'[{"a":1},\n{"a":2}]', b'\n{\n  "a": 1\n}\n', b'[{\n"a": 1}]'],
    ids=["array", "rows", "object", "indented"],
)
def test_a_document_on_several_lines_is_one_problem(data: bytes) -> None:
    problem = only_problem(data)
    assert (problem.code, problem.message) == ("broken-json", "one JSON document over many lines.")


def test_a_trailing_comma_has_its_own_hint() -> None:
    assert only_problem(b'{"a":1}\n{"a":1},\n').hint == "Leave out the comma after it."


def test_invalid_lines_keep_their_line_number() -> None:
    long = b"x" * (LONGEST_LINE + 1)
    rows = list(read_lines(io.BytesIO(b'{"a":1}\nno\n\n' + long + b'\n{"a":4}'), "a.jsonl", Problems()))
    assert rows == [(1, {"a": 1}), (2, None), (4, None), (5, {"a": 4})]


@pytest.mark.parametrize(
    "line",
    [
        rb'{"a":1,"a":2}',
        rb'{"a":1,"\u0061":2}',
        rb'{"x":{"b":{"a":1,"a":1}}}',
        rb'{"x":[{"a":1},{"b":2,"b":3}]}',
        rb'{"a":1,"a" :2}',
        b'{"a":1,"a"\t\t:2}',
        b'{"a":1,"a"\r:2}',
        rb'{"a\\":1,"a\\":2}',
        rb'{"a\"":1,"a\"":2}',
        rb'{"a\\\"":1,"a\\\"":2}',
        rb'{"":1,"":2}',
        rb'{"a":1,"a":1,"b":"\u0022:"}',  # re-encoded, the last value begins with \": and looks like a key
        rb'{"a":1,"a":1,"b":"\\\u0022:","c":"\":"}',
        rb'{"a":1,"a":1,"b":{"\u003a":0}}',  # and so does a key that is a colon
        rb'{"a":"x","a":"y","b":"\u0022\u0022"}',
        rb'{"a":1,"a":1,"\\\\":"\\\\\""}',
        rb'{"a":1,"a":1,"b":"\u005c","c":"\u0022: \u0022:"}',
        '{"å":1,"\\u00e5":2}'.encode(),
        '{"😀":1,"\\ud83d\\ude00":2}'.encode(),
    ],
)
def test_finds_duplicate_keys_in_every_spelling(line: bytes) -> None:
    problem = only_problem(line)
    assert (problem.code, problem.line) == ("duplicate-key", 1)
    fine = b'{"a":1,"b":"\\u0022:","c":"\\":"}\n' * 50
    rows, (problem,) = read(fine + line + b"\n" + fine)
    assert (problem.code, problem.line, len(rows)) == ("duplicate-key", 51, 100)


@pytest.mark.parametrize(
    "line",
    [
        rb'{"a":"\":","b":"\\","c":"\\\":"}',
        rb'{"a" : 1 , "b" : {"a" : 2}}',
        rb'{"a":{"a":{"a":1}}}',
        rb'{"a\\":1,"a":"x\\"}',
        rb'{"a":"\":\":"}',
    ],
)
def test_accepts_records_that_only_resemble_duplicate_keys(line: bytes) -> None:
    rows, problems = read(line)
    assert problems == []
    assert rows == [(1, json.loads(line))]


KEYS = st.sampled_from(["a", "b", "\\", '"', '":', "a\\", ":", "é"])
VALUES = st.recursive(
    st.one_of(KEYS, st.integers(0, 3)), lambda v: st.one_of(st.lists(v, max_size=2), st.lists(st.tuples(KEYS, v), max_size=3).map(tuple))
)


def write(value: Any, draw: Any) -> str:
    """Return JSON text with pairs in the given order, randomly escaped strings and random spaces."""
    space = draw(st.sampled_from(["", " "]))
    if isinstance(value, tuple):
        return "{" + ",".join(f"{write(k, draw)}{space}:{write(v, draw)}" for k, v in value) + space + "}"
    if isinstance(value, list):
        return "[" + ",".join(write(v, draw) for v in value) + space + "]"
    if isinstance(value, str) and draw(st.booleans()):
        return '"' + "".join(f"\\u{ord(c):04x}" for c in value) + '"'
    return json.dumps(value)


def has_twins(value: Any) -> bool:
    if isinstance(value, tuple):
        return len({k for k, _ in value}) != len(value) or any(has_twins(v) for _, v in value)
    return isinstance(value, list) and any(map(has_twins, value))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(st.tuples(KEYS, VALUES), max_size=3).map(tuple), min_size=1, max_size=4), st.data())
def test_every_record_with_a_duplicate_key_is_refused(records: list[tuple[Any, ...]], data: Any) -> None:
    text = "\n".join(write(record, data.draw) for record in records)
    rows, problems = read(text.encode())
    assert {p.line for p in problems} == {n for n, record in enumerate(records, 1) if has_twins(record)}
    assert len(rows) + len(problems) == len(records)


def test_a_record_on_two_lines_does_not_offset_two_on_one() -> None:
    rows, problems = read(b'{"a":1}\n{"b":1} {"c":1}\n{"d":\n1}\n')
    assert rows == [(1, {"a": 1})]
    assert [p.line for p in problems] == [2, 3, 4]


def test_the_longest_line_is_a_megabyte() -> None:
    fits = b'{"a":"' + b"x" * (LONGEST_LINE - 8) + b'"}'
    rows, problems = read(fits + b"\n" + fits)
    assert (len(rows), problems) == (2, [])
    rows, (problem,) = read(b'{"a":1}\n' + fits[:-2] + b'x"}\n{"a":3}\n')
    assert [number for number, _ in rows] == [1, 3]
    assert (problem.code, problem.line) == ("line-too-long", 2)


def test_reading_stops_after_many_problems_with_a_notice() -> None:
    rows, problems = read(b"no\n" * (HOPELESS + 50_000))
    assert rows == []
    assert [p.code for p in problems[-2:]] == ["gave-up", "more"]
    assert len(problems) == 1002


def test_reading_stops_after_many_lines_with_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MOST_LINES", 10)
    rows, (problem,) = read(b'{"a":1}\n' * 8 + b"\n" * 100)
    assert (len(rows), problem.code, problem.line) == (8, "too-large", 11)


def test_finds_a_duplicate_among_a_hundred_thousand_keys() -> None:
    line = b"{" + b",".join(b'"%d":0' % i for i in range(90_000)) + b',"89999":1}'
    assert only_problem(line).message == "the key '89999' occurs twice."


@given(st.binary(max_size=200))
def test_any_bytes_are_records_or_problems(data: bytes) -> None:
    rows, problems = read(data)
    assert rows or problems


@given(
    st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda v: st.lists(v) | st.dictionaries(st.text(), v))
)
def test_any_json_value_is_read_unchanged_or_refused(value: Any) -> None:
    line = json.dumps({"a": value}).encode("utf-8", "surrogatepass")
    rows, problems = read(line)
    assert problems or rows[0][1] == {"a": value}


def test_extreme_numbers_are_read() -> None:
    rows, problems = read(b'{"a":1e999}\n{"a":-0}\n{"a":-0.0}\n{"a":' + b"9" * 400 + b"}\n")
    assert problems == []
    assert [record["a"] for _, record in rows] == [float("inf"), 0, 0.0, int("9" * 400)]


def test_errors_in_a_multiline_description_have_line_and_column() -> None:
    with pytest.raises(lines.InvalidLineError, match="line 2, column 7"):
        decode_strictly(b'{\n "a": x\n}')


def test_the_line_limit_grows_with_the_longest_item() -> None:
    def read_up_to(longest: int) -> tuple[list[int], list[str]]:
        problems = Problems()
        data = b'{"a":1}\n{"a":"' + b"x" * (2 * LONGEST_LINE - 8) + b'"}\n{"a":3}\n'
        rows = [number for number, record in read_lines(io.BytesIO(data), "a.jsonl", problems, lambda: longest) if record]
        return rows, [problem.message for problem in problems.listed()]

    assert read_up_to(2 * LONGEST_LINE) == ([1, 2, 3], [])
    assert read_up_to(2 * LONGEST_LINE - 1) == ([1, 3], [f"a line of more than {2 * LONGEST_LINE - 1:,} bytes."])
    assert read_up_to(100) == ([1, 3], [f"a line of more than {LONGEST_LINE:,} bytes."])
