"""Checks of mojibake, unusual characters, bytes and keys."""

from pathlib import Path

import pytest
from tests.data.checks.making import CLASSES, CLEAN, Check, classes, declare

from gluepot.data.checks import check_material, read_material
from gluepot.data.checks.items.characters import ESCAPE, MOJIBAKE


@pytest.mark.parametrize(
    "text", ["fÃ¶rÃ¤ldrar", "Ð¿Ñ€Ð¸Ð²ÐµÑ‚", "Reutersâ€™ bild", "ett \ufffd tecken", "\x94pojkar\x94", "РџСЂРёРІРµС‚", "Å¡koda"]
)
def test_check_finds_mojibake(look: Check, text: str) -> None:
    assert classes(look, test=[*CLEAN, {"text": text, "label": "pro"}])["mojibake"].count == 1


@pytest.mark.parametrize(
    "text", ["Åsa såg ”BLÅ” … »Ål«", "ORÐ” – Ð", "Привет, Россия! США…", "Iñaki É» CAFÉ»", "12 Å² och Å³", "SÃO PAULO", "“Ñ”"]
)
def test_mojibake_pattern_does_not_match_valid_text(text: str) -> None:
    assert MOJIBAKE.search(text) is None


def test_check_finds_odd_characters_and_notes_odd_forms(look: Check) -> None:
    texts = ["klock\x02an", "hast\u00adighet", "A &quot;b&quot;", "e\u0301tude"]
    found = classes(look, test=[{"text": text, "label": "pro"} for text in texts] + CLEAN)
    severities = {code: found[code].severity for code in ("control-character", "invisible-character", "escape", "not-nfc")}
    assert list(severities.values()) == ["problem", "note", "note", "note"]
    assert "klock<U+0002>an" in found["control-character"].message


def test_check_distinguishes_an_ampersand_from_an_escape() -> None:
    assert ESCAPE.search("Johnson &amp; Johnson")
    assert not ESCAPE.search("AT&T; Marks & Spencer, C:\\nyheter")


@pytest.mark.parametrize(
    ("raw", "code", "severity"),
    [
        (b'{"text": "a b", "label": "pro"}\r\n{"text": "c d", "label": "con"}\n', "mixed-line-ends", "problem"),
        (b'{"text": "a b", "label": "pro"}\r\n{"text": "c d", "label": "con"}\r\n', "crlf", "note"),
        (b'{"text": "a b", "label": "pro"}\n{"text": "c d", "label": "con"}', "no-final-newline", "note"),
        (b'{"text": "a b", "label": "pro"}\n\n{"text": "c d", "label": "con"}\n', "blank-line", "note"),
        (b'\xef\xbb\xbf{"text": "a b", "label": "pro"}\n{"text": "c d", "label": "con"}\n', "byte-order-mark", "problem"),
        (b'{"text": "a b", "label": "pro"}\n{"text": "\xe5", "label": "con"}\n', "not-utf-8", "problem"),
    ],
)
def test_check_inspects_the_bytes_of_a_file(data: Path, raw: bytes, code: str, severity: str) -> None:
    (data / "test.jsonl").write_bytes(raw)
    task = declare(*CLASSES, {"test": 2}, labels=["pro", "con"])
    found = {f.code: f.severity for f in check_material(read_material(task)) if f.code not in ("sheet-incomplete", "balance")}
    assert found.pop(code) == severity
    assert code == "not-utf-8" or not found


def test_check_notes_keys_that_only_some_records_have(look: Check) -> None:
    rows = [*({**row, "negation": "no"} for row in CLEAN), {"text": "Snön låg kvar.", "label": "pro", "no_negation": "x"}]
    found = classes(look, test=rows)["odd-keys"]
    assert found.message == "2 keys not in every one of 3 records: 'no_negation' in 1; 'negation' missing in 1."
