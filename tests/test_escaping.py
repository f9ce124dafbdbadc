"""Escaping of untrusted text: no control sequences in terminals, no links in Markdown, no formulas in spreadsheets."""

import csv
import json
import re
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from tests.runs.hostile import ESCAPE, content, identity, row
from tests.runs.tampering import make

from gluepot.cli import main
from gluepot.escaping import FORMULAS, escape_control_characters, escape_markdown, escape_spreadsheet

IMAGES = [
    "![x](https://evil.example/pixel.png)",
    "[x](https://evil.example)",
    "[x](javascript:alert(1))",
    "https://evil.example",
    "see www.evil.example/x",
    "mail eve@evil.example",
    "<https://evil.example>",
    "<img src=//evil.example/x>",
    "![a b](//evil.example/x.png)",
    "a\\| ![x](https://evil.example/p.png)",
    "@`| ![x](//evil.example/p.png)",
    "``@`` ![x](//evil.example)",
    "x\\\n\n![x](//evil.example)",
    "[x]: https://evil.example\n\n[x]",
]


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("runs") / "honest")


@pytest.fixture
def run(honest: Path, tmp_path: Path, own_cache: Path) -> Path:
    return shutil.copytree(honest, tmp_path / "run")


def unseen(text: str) -> set[str]:
    """Return the characters of a text that a terminal interprets."""
    return {letter for letter in text if letter not in "\n\t" and unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp")} | (
        set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069") & set(text)
    )


@pytest.mark.parametrize("filler", ["\t", " ", '"', ",", ", \t", "\n;"])
def test_long_cells_of_separators_are_escaped_in_linear_time(filler: str) -> None:
    started = process_time()
    assert escape_spreadsheet(filler * 20_000 + "x") in (filler * 20_000 + "x", "'" + filler * 20_000 + "x")
    assert process_time() - started < 0.5


@given(st.text())
def test_visible_text_contains_no_control_characters(text: str) -> None:
    assert unseen(escape_control_characters(text)) == set()


def test_ordinary_text_is_unchanged() -> None:
    for text in ("blåbärssylt, кофе, kafé\tאב\n", "👩‍👩‍👧 ‌a", "\\x1b"):
        assert escape_control_characters(text) == text


HARMS = [identity(model=f"m{ESCAPE}"), row(prediction=ESCAPE), identity(suite=ESCAPE), content("manifest.json", ESCAPE.encode())]


@pytest.mark.parametrize("harm", HARMS)
def test_commands_escape_control_sequences_of_a_run(run: Path, honest: Path, harm, capsys: pytest.CaptureFixture[str]) -> None:
    harm(run)
    page = str(run.parent / "page.html")
    for words in (["report", run, "-o", page], ["report", run, "-o", page, "--json"], ["compare", run, honest], ["score", "pocket", run]):
        main([str(word) for word in words])
        printed = capsys.readouterr()
        assert unseen(printed.out + printed.err) == set(), words


@pytest.mark.parametrize("harm", HARMS[:2])
def test_report_files_escape_control_sequences_of_a_run(run: Path, harm) -> None:
    harm(run)
    page, notes, paper = (run.parent / name for name in ("page.html", "notes.md", "paper.tex"))
    assert main(["report", str(run), "-o", str(page), "--markdown", str(notes), "--latex", str(paper)]) == 0
    for file in (page, notes, paper):
        assert unseen(file.read_text(encoding="utf-8")) == set(), file.name


def test_json_encodes_control_sequences_losslessly(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    identity(model=f"m{ESCAPE}")(run)
    assert main(["report", str(run), "-o", str(run.parent / "page.html"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["systems"][0]["model"] == f"m{ESCAPE}"


def test_tracebacks_escape_control_sequences() -> None:
    code = f"import sys; from gluepot.cli.console.process import protect_streams; protect_streams(); raise RuntimeError({ESCAPE!r})"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "RuntimeError: \\x1b]0;owned" in ended.stderr
    assert unseen(ended.stderr) == set()


def test_notices_escape_control_sequences(capsys: pytest.CaptureFixture[str]) -> None:
    from gluepot.notices import notify

    notify(f"the server says {ESCAPE}")
    assert unseen(capsys.readouterr().err) == set()


def test_own_colours_are_preserved(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from gluepot.cli.console.output import console
    from gluepot.cli.console.terminal import escaping_streams

    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    with escaping_streams():
        console().print(f"[bold]a[/]{ESCAPE}")
    printed = capsys.readouterr().out
    assert "\x1b[1m" in printed
    assert "\\x1b]0;owned" in printed
    assert "\x1b]" not in printed


def test_sheets_are_shown_without_terminal_links(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from gluepot.cli import show
    from gluepot.tasks.declarations import find
    from gluepot.tasks.sheets import Sheet

    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(Sheet, "sections", lambda self: [("a", [("b", f"[click](https://evil.example) {ESCAPE}")])])
    show.show_task(find("pocket/stance-sv")[1], Sheet(), as_json=False)
    printed = capsys.readouterr().out
    assert "click" in printed
    assert "\x1b]" not in printed, "no link, no title"


@pytest.mark.parametrize("name", IMAGES)
@pytest.mark.parametrize("form", ["{}", "| {} | b |\n| --- | --- |\n| {} | b |", "## {}"])
def test_no_name_becomes_a_link_or_an_image(name: str, form: str) -> None:
    parser = MarkdownIt("gfm-like", {"linkify": False, "html": True}) if _has_gfm() else MarkdownIt("commonmark").enable("table")
    html = parser.render(form.replace("{}", escape_markdown(name)))
    assert not re.search(r"<(a|img)\b", html), html
    outside = re.sub(r"<code>.*?</code>", "", html)
    assert not re.search(r"://|www\.|@", outside), "GitHub makes links of these by itself"


def _has_gfm() -> bool:
    try:
        MarkdownIt("gfm-like", {"linkify": False})
    except KeyError:
        return False
    return True


@pytest.mark.parametrize("name", IMAGES)
def test_markdown_of_a_board_escapes_system_names(name: str) -> None:
    pytest.importorskip("django", reason="needs the board's extra")
    from gluepot.board.drawing.formats import write_markdown

    html = MarkdownIt("commonmark").enable("table").render(write_markdown(["System", name], [[name, 0.5]], [f"query: {name}"]))
    assert not re.search(r"<(a|img)\b", html), html
    assert html.count("<td") == 2, "and no cell more"


def test_markdown_of_a_report_escapes_model_names(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    identity(model="![x](https://evil.example/pixel.png) https://evil.example")(run)
    assert main(["report", str(run), "-o", str(run.parent / "page.html"), "--markdown", str(run.parent / "page.md")]) == 0
    html = MarkdownIt("commonmark").enable("table").render((run.parent / "page.md").read_text())
    assert "<img" not in html
    assert "<a " not in html
    assert html.count("evil.example") == len(re.findall(r"<code>[^<]*evil\.example[^<]*</code>", html))


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@given(st.lists(st.text(alphabet=[*FORMULAS, *",;\t\r\n\"' #a1"], min_size=1), min_size=1, max_size=3))
def test_csv_has_no_formula_for_any_separator(separator: str, texts: list[str]) -> None:
    pytest.importorskip("django", reason="needs the board's extra")
    from gluepot.board.drawing.formats import write_csv

    text = write_csv(texts, [texts], notes=texts)
    for line in csv.reader(text.splitlines(keepends=True) if separator == "," else text.splitlines(), delimiter=separator):
        for cell in line:
            assert not cell.lstrip(' "\t\r\n').startswith(tuple(FORMULAS)), (text, line)


def test_a_formula_inside_a_note_is_escaped() -> None:
    assert escape_spreadsheet("query: q=,=cmd|'/C calc'!A0") == "query: q=,'=cmd|'/C calc'!A0"
