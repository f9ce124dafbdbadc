"""`evaluate --prompts all` and `evaluate --plan`: evaluations with runs of their own."""

import sys
from argparse import Namespace
from pathlib import Path

from gluepot.cli.console.output import console, number, print_json, span
from gluepot.cli.console.tables import Table, TableColumn
from gluepot.plurals import pluralize


def run_all_prompts(options: Namespace) -> int:
    """Evaluate each prompt in a run of its own, in neighbouring folders, and report the spread over them."""
    from gluepot.cli.evaluate import evaluate, prepare
    from gluepot.runs.pipeline import SPENT
    from gluepot.runs.scores.prompt_spread import prompt_count, spread_over
    from gluepot.runs.storage.store import RunFolder

    whole = prepare(options)
    out, tasks = whole.folder.path, [whole.suite.tasks[name] for job in whole.plan.jobs for name in job.answers]
    runs = []
    for prompt in range(prompt_count(tasks)):
        own = Namespace(**{**vars(options), "prompt": prompt, "out": out / f"prompt-{prompt}", "ledger": out / SPENT})
        runs.append(evaluate(own, prepare(own)))
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
    screen.print(f"\n{pluralize(len(runs), 'prompt')} of each task\n", markup=False)
    table.print(screen)
    return 0


def run_plan(options: Namespace) -> int:
    """Answer a few items and forecast the whole run; the answers are stored, so that a server is not queried for them again."""
    from gluepot.cli.evaluate import evaluate, prepare
    from gluepot.models.api.spending import money
    from gluepot.runs.pipeline import task_seconds
    from gluepot.runs.prediction.forecast import ITEMS, forecast

    whole = prepare(options)
    place = Path(f"{whole.folder.path}-plan")
    few = Namespace(**{**vars(options), "limit": ITEMS, "seeds": 1, "out": place, "resamples": 100})
    request = prepare(few)
    scores = evaluate(few, request)
    seconds = task_seconds(request.folder)
    rows = forecast(request.suite, request.plan.split, len(whole.plan.seeds), scores.asked, seconds, options.price)
    if options.json:
        print_json(rows)
        return 0
    figures = (TableColumn(name, figures=True) for name in ("items", "tokens in", "tokens out", "minutes", "cost"))
    table = Table(TableColumn("task"), *figures)
    for row in rows:
        table.add(row.task, f"{row.items:,}", f"{row.tokens:,}", f"{row.written:,}", f"{row.minutes:.1f}", money(row.cost))
    table.print(console())
    print(
        f"from {ITEMS} items per task; {sum(row.minutes for row in rows):.1f} minutes, {money(sum(row.cost for row in rows))}",
        file=sys.stderr,
    )
    return 0
