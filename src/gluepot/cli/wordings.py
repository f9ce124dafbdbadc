"""`evaluate --prompts all` and `evaluate --plan`: several runs for one answer."""

import sys
from argparse import Namespace
from pathlib import Path

from gluepot.cli.output import console, number, print_json, span
from gluepot.cli.tables import Table, TableColumn
from gluepot.plurals import pluralize


def run_all_prompts(options: Namespace) -> int:
    """A run for each wording, in folders beside each other, and the spread over them."""
    from gluepot.cli.evaluate import evaluate, prepare
    from gluepot.runs.scores.prompt_spread import spread_over, wordings_of
    from gluepot.runs.storage.store import RunFolder

    suite, _, plan, out = prepare(options)
    runs = []
    for wording in range(wordings_of(suite.name, [name for job in plan.jobs for name in job.answers])):
        own = Namespace(**{**vars(options), "wording": wording, "out": out / f"prompt-{wording}", "ledger": out / "spent.txt"})
        suite, model, plan, folder = prepare(own)
        runs.append(evaluate(own, suite, model, plan, RunFolder(folder)))
    rows = spread_over(runs)
    RunFolder(out).write("prompts.json", rows)
    if options.json:
        print_json(rows)
        return 0
    figures = (TableColumn(name, figures=True) for name in ("mean", "95 % over prompts", "least", "most"))
    table = Table(TableColumn("task"), TableColumn("metric"), *figures, keys=3)
    for row in rows:
        table.add(row.task, row.metric, number(row.mean), span(row.low, row.high), number(row.least), number(row.most))
    screen = console()
    screen.print(f"\n{pluralize(len(runs), 'wording')} of each prompt\n", markup=False)
    table.print(screen)
    return 0


def run_plan(options: Namespace) -> int:
    """Ask a few items and say what the whole will take; the runs are kept, so that a server's answers are not asked for again."""
    from gluepot.cli.evaluate import evaluate, prepare, task_seconds
    from gluepot.models.api.spending import money
    from gluepot.runs.prediction.forecast import ITEMS, foretell
    from gluepot.runs.storage.store import RunFolder

    _, _, whole, out = prepare(options)
    few = Namespace(**{**vars(options), "limit": ITEMS, "seeds": 1, "out": Path(f"{out}-plan"), "resamples": 100})
    suite, model, plan, place = prepare(few)
    folder = RunFolder(place)
    scores = evaluate(few, suite, model, plan, folder)
    rows = foretell(suite.name, plan.split, len(whole.seeds), scores.asked, task_seconds(folder), options.price)
    if options.json:
        print_json(rows)
        return 0
    figures = (TableColumn(name, figures=True) for name in ("items", "tokens in", "tokens out", "minutes", "cost"))
    table = Table(TableColumn("task"), *figures)
    for row in rows:
        table.add(row.task, f"{row.items:,}", f"{row.tokens:,}", f"{row.written:,}", f"{row.minutes:.1f}", money(row.cost))
    table.print(console())
    print(
        f"from {ITEMS} items a task; in all {sum(row.minutes for row in rows):.1f} minutes, {money(sum(row.cost for row in rows))}",
        file=sys.stderr,
    )
    return 0
