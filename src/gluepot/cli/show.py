"""Show a suite with its tasks, a task with its documentation sheet, or the full prompt of an item for language models."""

from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, Namespace

from gluepot.bounds import MANY
from gluepot.cli.console.numbers import bounded_int
from gluepot.cli.console.output import console, print_json
from gluepot.cli.console.tables import Table, TableColumn
from gluepot.errors import DataMissing, WrongUse
from gluepot.records import Suite, Task
from gluepot.tasks.declarations import find
from gluepot.tasks.rules import answer_rules
from gluepot.tasks.sheets import Sheet, load_sheet, read_official


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("path", metavar="SUITE[/TASK]", nargs="?")
    parser.add_argument("--official", action="store_true", help="show the publisher's own sheet, from the data folder")
    parser.add_argument(
        "--prompt", nargs="?", const="0", metavar="N", help="show the full prompt of an item: 0 as declared, 1, 2 … for the paraphrases"
    )
    parser.add_argument("--item", metavar="ID", help="with --prompt: the item (default: the first)")
    parser.add_argument("--split", help="with --prompt: the split (default: the suite's, or the first available)")
    parser.add_argument(
        "--shots", type=bounded_int(0, 1000), metavar="N", help="with --prompt: number of few-shot examples (default: as declared)"
    )
    parser.add_argument(
        "--form", choices=("base", "instruct"), default="base", help="with --prompt: for a base or an instruction-tuned model"
    )
    parser.add_argument("--wording", type=bounded_int(0, 1000), help=SUPPRESS)  # former name of N
    parser.add_argument(
        "--seed", type=bounded_int(0, MANY), default=0, metavar="N", help="with --prompt: seed for sampling the few-shot examples"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document to standard output")


def run(options: Namespace) -> int:
    path, prompt = read_words(options)
    suite, task = find(path)
    if prompt is not None:
        if task is None:
            raise WrongUse(f"--prompt needs a task, such as {suite.name}/{next(iter(suite.tasks))}.")
        show_prompt(suite, task, prompt, options)
    elif task is None:
        show_suite(suite, as_json=options.json)
    else:
        show_task(task, official_sheet(task) if options.official else load_sheet(task), as_json=options.json)
    return 0


def read_words(options: Namespace) -> tuple[str, int | None]:
    """Return the path and the number of the prompt; in `show --prompt suite/task` the word after the option is not a number."""
    path, prompt = options.path, options.prompt
    if path is None and prompt is not None:
        path, prompt = (prompt, "0") if not prompt.isdecimal() else (None, prompt)
    if path is None:
        raise WrongUse("show: give a SUITE or a SUITE/TASK; `gluepot suites` lists them.")
    if prompt is None:
        return path, None
    try:
        return path, bounded_int(0, 1000)(prompt) if options.wording is None else options.wording
    except ArgumentTypeError as error:
        raise WrongUse(f"--prompt {error}.") from error


def show_prompt(suite: Suite, task: Task, prompt: int, options: Namespace) -> None:
    """Print an item's prompt for a language model: the exact text, or the turns of the chat."""
    from gluepot.data.examples import load_examples
    from gluepot.data.folders import available_splits
    from gluepot.models.prompts.asking import PromptBuilder, prompt_of
    from gluepot.runs.prediction.shots import shots_for

    here = available_splits(task)
    split = options.split or (suite.score_split if suite.score_split in here else next(iter(here), suite.score_split))
    items = load_examples(task, split)
    item = next((item for item in items if options.item in (None, item.id)), None)
    if item is None:
        raise WrongUse(f"{task.path} {split}: no item {options.item!r}.")
    count = prompt_of(task).shots if options.shots is None else options.shots
    builder = PromptBuilder(task, shots_for(suite, task, split, count, options.seed), options.form, prompt)
    base, messages = builder.base_prompt(item), builder.messages(item)
    if options.json:
        answers = builder.candidates(item)
        print_json({"item": item.id, **({"prompt": base} if options.form == "base" else {"messages": messages}), "candidates": answers})
    elif options.form == "base":
        print(base)
    else:
        print("\n\n".join(f"[{message['role']}]\n{message['content']}" for message in messages))


def official_sheet(task: Task) -> Sheet:
    """Return the publisher's sheet from the folder of the task's files."""
    from gluepot.data.folders import source_files

    for source in task.sources:
        for split in source.files:
            for path in source_files(task, source, split):
                found = sorted(path.parent.glob("*documentation[-_]sheet.tsv"))
                if found:
                    return read_official(found[0])
    raise DataMissing(f"{task.path}: there is no official sheet. Get the files with `gluepot data fetch {task.suite}`.")


def show_suite(suite: Suite, *, as_json: bool) -> None:
    if as_json:
        from gluepot.cli.suites import describe_suite

        return print_json({**describe_suite(suite), "overall": suite.overall, "protocol": suite.protocol})
    screen = console()
    screen.print(f"[bold]{suite.title}[/] {suite.version}  ({suite.name})\n{suite.summary}\n{suite.link}\n")
    table = Table(TableColumn("task"), TableColumn("kind"), TableColumn("ranked by"), TableColumn("sizes", prose=True))
    for task in suite.tasks.values():
        sizes = ", ".join(f"{split} {rows:,}" for split, rows in task.data.rows.items())
        table.add(task.name, task.kind, task.metrics[0], sizes)
    table.print(screen)
    terms = ", ".join(" & ".join(term) for term in suite.overall.terms)
    screen.print(f"\n[bold]Overall[/] is the mean of {terms}. {suite.overall.note}")
    screen.print(f"[bold]Cite[/] {suite.citation}")
    return None


def show_task(task: Task, sheet: Sheet, *, as_json: bool) -> None:
    if as_json:
        return print_json({"task": task, "sheet": dict(pair for _, pairs in sheet.sections() for pair in pairs)})
    from rich.markdown import Markdown
    from rich.padding import Padding

    screen = console()
    screen.print(f"[bold]{task.title}[/]  ({task.path})\n{task.summary}\n")
    screen.print(f"kind {task.kind} · language {task.language} · domain {', '.join(task.domain)}")
    for name, rule in answer_rules(task).items():
        screen.print(f"{name} {rule}", markup=False)
    if task.trained_on:
        screen.print(f"trained on {task.suite}/{task.trained_on}")
    for section, pairs in sheet.sections():
        screen.print(f"\n[bold]{section.upper()}[/]")
        for name, text in pairs:
            screen.print(f"[bold cyan]{name}[/]")
            screen.print(Padding(Markdown(text, hyperlinks=False), (0, 0, 0, 2)))
    return None
