"""Write the reference pages from declarations, metrics and commands; `--check` only reports whether they are up to date."""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

os.environ["COLUMNS"] = "100"  # argparse wraps its help to the terminal width

from gluepot.build.maker import MAKERS
from gluepot.cli import COMMANDS, usage
from gluepot.metrics import METRICS
from gluepot.records import Source, Suite, Task
from gluepot.submissions.codes import CODES
from gluepot.tasks import KINDS
from gluepot.tasks.declarations import load_suites
from gluepot.tasks.formats import FORMATS
from gluepot.tasks.rules import answer_rules
from gluepot.tasks.sheets import load_sheet

REFERENCE = Path(__file__).parent / "reference"
STAR = r" \*"
Pages = Iterator[tuple[str, str]]


def pages() -> Pages:
    """Yield every generated page: its path below `reference/` and its text."""
    suites = load_suites()
    yield "suites.md", suites_page(suites)
    yield "tasks/index.md", tasks_page(suites)
    for suite in suites:
        for task in suite.tasks.values():
            yield f"tasks/{suite.name}/{task.name}.md", task_page(suite, task)
    yield "kinds.md", kinds_page()
    yield "metrics.md", metrics_page()
    yield "commands.md", commands_page()
    yield "problems.md", problems_page()
    yield "makers.md", makers_page()


def table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [header, tuple("---" for _ in header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def sizes(source: Source) -> str:
    unit = "" if source.counts == "items" else f" {source.counts}"
    return ", ".join(f"{split} {rows:,}{unit}" for split, rows in source.rows.items()) or "–"


def suites_page(suites: list[Suite]) -> str:
    parts = ["# Suites"]
    for suite in suites:
        rows = [
            (f"[{t.name}](tasks/{suite.name}/{t.name}.md)", t.kind, sizes(t.data), ", ".join(t.metrics), "" if t.official else "unofficial")
            for t in suite.tasks.values()
        ]
        terms = ", ".join(" & ".join(term) for term in suite.overall.terms)
        parts += [
            f"## {suite.title} {suite.version}",
            f"`{suite.name}` · {suite.language} · {suite.license} · <{suite.link}>"
            if "://" in suite.link
            else f"`{suite.name}` · {suite.language} · {suite.license}",
            suite.summary,
            table(("task", "kind", "published sizes", "metrics", ""), rows),
            f"**Overall** is the mean of {terms}. {suite.overall.note}".rstrip(),
            f"**Submissions**: {FORMATS[suite.submission].summary}",
            f"**Cite**: {suite.citation}",
        ]
    return "\n\n".join(parts)


def tasks_page(suites: list[Suite]) -> str:
    rows = [(f"[{t.title}]({s.name}/{t.name}.md)", s.title, t.language, t.kind, t.summary) for s in suites for t in s.tasks.values()]
    return "\n\n".join(["# Tasks", table(("task", "suite", "language", "kind", "summary"), rows)])


def task_page(suite: Suite, task: Task) -> str:
    facts = [
        ("name", f"`{task.path}`"),
        ("kind", f"[{task.kind}](../../kinds.md)"),
        ("language", task.language),
        ("domain", ", ".join(task.domain)),
        ("labels", ", ".join(f"`{label}`" for label in task.labels) or "–"),
        *answer_rules(task).items(),
        ("metrics", ", ".join(f"[{m}](../../metrics.md)" for m in task.metrics)),
        ("published sizes", sizes(task.data)),
        ("hub", f"`{task.data.hub}`" if task.data.hub else "–"),
        ("archive", f"<{task.data.archive}>" if task.data.archive else "–"),
    ]
    if task.trained_on:
        facts.append(("trained on", f"[{task.trained_on}]({task.trained_on}.md)"))
    parts = [f"# {task.title}", f"*{suite.title}*", task.summary, table(("", ""), facts), "## Documentation sheet"]
    for section, pairs in load_sheet(task).sections():
        parts.append(f"### {section}")
        parts += [f"**{name.rstrip('*')}**{STAR if name.endswith('*') else ''}\n\n{text}" for name, text in pairs]
    return "\n\n".join(parts)


def kinds_page() -> str:
    rows = [
        (
            k,
            KINDS[k].summary,
            ", ".join(f"`{n}`" for n in KINDS[k].inputs),
            ", ".join(f"`{n}`" for n in KINDS[k].optional) or "–",
            KINDS[k].answer.form,
        )
        for k in KINDS
    ]
    return "\n\n".join(
        [
            "# Task kinds",
            "The inputs of each kind of task, and the form of its answers.",
            table(("kind", "", "inputs", "optional", "answer"), rows),
        ]
    )


def metrics_page() -> str:
    rows = [
        (
            f"`{m.name}`",
            m.summary,
            ", ".join(m.takes),
            f"{m.worst:g}" if m.worst is not None else "–",
            f"{m.best:g}",
            ", ".join(f"`{o}`" for o in m.options) or "–",
        )
        for m in map(METRICS.__getitem__, METRICS)
    ]
    return "\n\n".join(["# Metrics", table(("metric", "", "answers", "worst", "best", "options"), rows)])


def commands_page() -> str:
    parts = ["# Commands", f"```text\n{usage()}\n```"]
    for name in COMMANDS:
        parts += _command_help(name, name)
        verbs = getattr(import_module(f"gluepot.cli.{name}"), "VERBS", ())
        parts += [
            text for verb in verbs if find_spec(f"gluepot.cli.{name}_{verb}") for text in _command_help(f"{name} {verb}", f"{name}_{verb}")
        ]
    return "\n\n".join(parts)


def _command_help(title: str, module: str) -> list[str]:
    command = import_module(f"gluepot.cli.{module}")
    parser = ArgumentParser(prog=f"gluepot {title}", description=command.__doc__)
    command.configure(parser)
    return [f"## gluepot {title}", f"```text\n{parser.format_help().strip()}\n```"]


def makers_page() -> str:
    parts = [
        "# Makers",
        "Makers build tasks from a corpus: `gluepot build MAKER INPUT… --to SUITE_DIR/TASK` ([guide](../guides/build.md)).",
    ]
    for maker in (MAKERS[name] for name in MAKERS):
        parts += [f"## {maker.name}", maker.summary, f"Input: {maker.takes}. Example:", f"```text\n{maker.example}\n```"]
        rows = [(f"`--{o.name}`", o.help, ", ".join(o.choices) or str(o.default or "")) for o in maker.options]
        parts += [table(("option", "meaning", "values or default"), rows)] if rows else []
    return "\n\n".join(parts)


def problems_page() -> str:
    rows = [(f"`{code}`", *explained) for code, explained in sorted(CODES.items())]
    opening = "Problems that `gluepot score` can find in predictions, and a board in submissions."
    return "\n\n".join(["# Problem codes", opening, table(("code", "meaning", "remedy"), rows)])


def main() -> int:
    check = "--check" in sys.argv[1:]
    wanted = {REFERENCE / name: text.rstrip() + "\n" for name, text in pages()}
    there = set(REFERENCE.rglob("*.md"))
    stale = [p for p, text in wanted.items() if p not in there or p.read_text(encoding="utf-8") != text] + sorted(there - wanted.keys())
    if check:
        for path in stale:
            print(f"{path.relative_to(REFERENCE.parent)} is out of date: run `make docs`.", file=sys.stderr)
        return 1 if stale else 0
    for path in sorted(there - wanted.keys()):
        path.unlink()
    for path, text in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
