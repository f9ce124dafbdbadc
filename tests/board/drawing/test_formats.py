"""LaTeX tables: names are escaped wherever they occur."""

import shutil
import subprocess
from pathlib import Path

import pytest

from gluepot.board.drawing.formats import Bold, write_latex

ODD = [
    r"50 % of A_b & #1 ^ {x} \alpha ~ $y$",
    "[old] model",
    "*starred*",
    "a<b>c|d",
    "\\\\[1em] \\end{tabular}",
    "naïve — “Åse’s” – 3 … ≤ 2",
]


def write(names: list[str]) -> str:
    rows = [[Bold(name) if number % 2 else name, "56.0ʳ [50.1–61.2]", "78.2ʰ", "−3.0"] for number, name in enumerate(names)]
    return write_latex(["[System]", "A − B", "Rank", "p < 0.05"], rows, ["a note of 3 % \\end{tabular}", "ʳ reported"])


def test_rows_do_not_start_with_optional_argument_characters() -> None:
    lines = [line for line in write(ODD).splitlines() if "&" in line]
    assert len(lines) == 1 + len(ODD)
    assert not any(line.startswith(("[", "*")) for line in lines)


def test_characters_misprinted_by_old_font_encodings_are_replaced() -> None:
    text = "".join(line for line in write(ODD).splitlines() if not line.startswith("%"))
    assert not set("<>|ʳʰ−–…≤") & set(text)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
def test_tables_of_odd_names_compile(tmp_path: Path) -> None:
    text = rf"\documentclass{{article}}\usepackage{{booktabs}}\begin{{document}}{chr(10)}{write(ODD)}\end{{document}}{chr(10)}"
    (tmp_path / "table.tex").write_text(text, encoding="utf-8")
    words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "table.tex"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
