"""Scores as tables for papers and notes, in Markdown and LaTeX."""

from collections.abc import Callable, Sequence

from gluepot.escaping import escape_control_characters, escape_markdown
from gluepot.reporting import Report, Section
from gluepot.reporting.scores import ReportCell, ReportRow
from gluepot.reporting.systems import PARTIAL

_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "±": r"$\pm$",
}  # fmt: skip


def escape_latex(text: str) -> str:
    r"""Escape a text for LaTeX.

    >>> escape_latex("R&D_50%")
    'R\\&D\\_50\\%'
    """
    return "".join(_LATEX.get(letter, letter) for letter in " ".join(escape_control_characters(text).split()))


def markdown_tables(report: Report) -> str:
    """Return one Markdown table per section."""
    return "\n".join(_markdown_table(report, section) for section in report.sections)


def _markdown_table(report: Report, section: Section) -> str:
    head = ["Task", "Metric", *_names(report, section, escape_markdown)]
    lines = [f"## {escape_markdown(_title(section))}", "", _line(head), _line(["---", "---", *("--:" for _ in section.systems)])]
    for row in _ranking(section):
        lines.append(_line([escape_markdown(row.title), escape_markdown(row.metric), *(_markdown_cell(cell) for cell in row.cells)]))
    return "\n".join([*lines, "", f"{_note(report, section)}", ""])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_cell(cell: ReportCell | None) -> str:
    if cell is None or cell.value is None:
        return "–"
    spread = f" ± {cell.spread:.3f}" if cell.spread is not None else ""
    interval = f" ({cell.low:.3f} to {cell.high:.3f})" if cell.low is not None and cell.high is not None else ""
    note = f"; {escape_markdown(cell.note)}" if cell.note else ""
    return f"{cell.value:.3f}{spread}{interval}".replace("-", "−") + note


def latex_tables(report: Report) -> str:
    """Return one `table` per section; requires the package booktabs."""
    return "% \\usepackage{booktabs}\n" + "\n".join(_latex_table(report, section) for section in report.sections)


def _latex_table(report: Report, section: Section) -> str:
    head = ["Task", "Metric", *_names(report, section, escape_latex)]
    columns = "ll" + "r" * len(section.systems)
    lines = [r"\begin{table}", r"\centering", rf"\begin{{tabular}}{{{columns}}}", r"\toprule", _latex_line(head), r"\midrule"]
    for row in _ranking(section):
        lines.append(_latex_line([escape_latex(row.title), escape_latex(row.metric), *(_latex_cell(cell) for cell in row.cells)]))
    lines += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{escape_latex(_title(section))}. {escape_latex(_note(report, section))}}}"]
    return "\n".join([*lines, rf"\label{{tab:{section.suite}-{section.split}}}", r"\end{table}", ""])


def _latex_line(cells: Sequence[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _latex_cell(cell: ReportCell | None) -> str:
    if cell is None or cell.value is None:
        return "--"
    spread = rf" \pm {cell.spread:.3f}" if cell.spread is not None else ""
    interval = rf" {{\scriptsize $[{cell.low:.3f}, {cell.high:.3f}]$}}" if cell.low is not None and cell.high is not None else ""
    note = rf" {{\scriptsize {escape_latex(cell.note)}}}" if cell.note else ""
    return f"${cell.value:.3f}{spread}${interval}{note}"


def _ranking(section: Section) -> list[ReportRow]:
    return [row for row in section.rows if row.primary]


def _names(report: Report, section: Section, escape: Callable[[str], str]) -> list[str]:
    cards = [report.systems[number] for number in section.systems]
    return [escape(f"{card.name} ({PARTIAL})" if card.partial else card.name) for card in cards]


def _title(section: Section) -> str:
    return f"{section.title} {section.version}, {section.split}"


def _note(report: Report, section: Section) -> str:
    seeds = any(len(report.systems[number].seeds) > 1 for number in section.systems)
    return "95 % bootstrap intervals in brackets" + ("; ± is the standard deviation between seeds." if seeds else ".")
