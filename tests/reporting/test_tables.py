"""Reports as Markdown and LaTeX, and the command that writes them."""

import json
import re
from argparse import ArgumentParser
from pathlib import Path

import msgspec
import pytest

from gluepot.cli import report as command
from gluepot.reporting import Report
from gluepot.reporting.tables import latex_tables, markdown_tables


def test_markdown_escapes_and_shows_intervals(report: Report) -> None:
    text = markdown_tables(report)
    row = next(line for line in text.splitlines() if line.startswith("| Pocket stance"))
    assert len(re.findall(r"(?<!\\)\|", row)) == 7
    assert re.search(r"0\.\d{3} \(−?\d\.\d{3} to \d\.\d{3}\)", row)
    assert r"\<script\>" in text
    assert "<script>" not in text
    assert "tfidf-tree (partial, never ranked)" in text


def test_latex_escapes_and_shows_intervals(report: Report) -> None:
    card = msgspec.structs.replace(report.systems[2], name=r"R&D_50%#1 {x} ~ \a^b $")
    text = latex_tables(msgspec.structs.replace(report, systems=[*report.systems[:2], card, report.systems[3]]))
    assert r"R\&D\_50\%\#1 \{x\} \textasciitilde{} \textbackslash{}a\textasciicircum{}b \$" in text
    row = next(line for line in text.splitlines() if line.startswith("Pocket stance"))
    assert len(re.findall(r"(?<!\\)&", row)) == 5
    assert re.search(r"\$0\.\d{3} \\pm 0\.\d{3}\$ \{\\scriptsize \$\[-?\d\.\d{3}, \d\.\d{3}\]\$\}", row)
    assert "95 %" not in text
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == 1


def test_the_command_writes_the_requested_formats(runs: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parser = ArgumentParser()
    command.configure(parser)
    asked = [*map(str, runs), "-o", "r.html", "--markdown", "r.md", "--latex", "r.tex", "--json"]
    options = parser.parse_args([str(tmp_path / word) if word.startswith("r.") else word for word in asked])
    assert command.run(options) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.html", "r.md", "r.tex"]
    out = capsys.readouterr()
    assert len(json.loads(out.out)["systems"]) == 4
    assert "r.html" in out.err
