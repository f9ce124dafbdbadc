"""Numbers on the command line: invalid ones are rejected with a message and exit code 2 before any work is done."""

from argparse import Action, ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from importlib import import_module

import pytest

from gluepot.cli import COMMANDS, main
from gluepot.cli.board_serve import port
from gluepot.cli.console.numbers import bounded_int
from gluepot.cli.console.settings import reader


def actions(parser: ArgumentParser) -> Iterator[tuple[ArgumentParser, Action]]:
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for verb in action.choices.values():
                yield from actions(verb)
        else:
            yield parser, action


def numbers() -> list[tuple[ArgumentParser, Action]]:
    """Return every option that takes a number, of every command, with its parser."""
    found = []
    for name in COMMANDS:
        parser = ArgumentParser(prog=name)
        import_module(f"gluepot.cli.{name}").configure(parser)
        found += [(own, action) for own, action in actions(parser) if action.option_strings and is_number(action)]
    return found


def is_number(action: Action) -> bool:
    """Return whether an option takes a number: model settings do, or are parsed like numbers (prices), unless they take a name."""
    return action.metavar != "NAME" and (
        action.type in (int, float, port) or getattr(action.type, "__module__", "") in (bounded_int.__module__, reader.__module__)
    )


def test_every_numeric_option_has_bounds() -> None:
    assert len(numbers()) >= 18
    assert [action.dest for _, action in numbers() if action.type in (int, float)] == []


@pytest.mark.parametrize("text", ["-1", "-99999999999999999999", "abc", "", "nan", "inf", "1e400", "9" * 5000, "1.5.5", "0x10", "½"])
def test_every_numeric_option_rejects_invalid_values_with_a_message(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    for parser, action in numbers():
        positional = ["x"] * sum(1 for one in parser._actions if not one.option_strings and one.nargs in (None, "+"))
        with pytest.raises(SystemExit) as ended:
            parser.parse_args([*positional, f"{action.option_strings[0]}={text}"])
        assert ended.value.code == 2
        said = capsys.readouterr().err
        assert f"argument {action.option_strings[0]}: " in said
        assert len(said.splitlines()[-1]) < 200


@pytest.mark.parametrize(
    "words",
    [
        "evaluate majority pocket --jobs 0",
        "evaluate majority pocket --seeds -1",
        "evaluate majority pocket --seeds 0",
        "evaluate majority pocket --limit 0",
        "evaluate majority pocket --limit -1",
        "evaluate majority pocket --resamples 0",
        "evaluate majority pocket --resamples 1",
        "evaluate api:x@http://localhost/v1 pocket --budget -1",
        "evaluate api:x@http://localhost/v1 pocket --price 1,nan",
        "score pocket . --resamples 0",
        "compare a b --resamples 1",
        "redo run --jobs 0",
        "probe lm:x pocket/stance-sv --limit 0",
        "board export x --compare -1",
    ],
)
def test_an_out_of_range_number_is_wrong_use(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words.split())
    assert ended.value.code == 2
    assert "write " in capsys.readouterr().err


def test_two_resamples_are_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    from gluepot.tasks.search_path import BUNDLED

    assert main(["score", "pocket", str(BUNDLED / "pocket" / "sample"), "--resamples", "2", "--json"]) == 0


def test_bounds_are_inclusive() -> None:
    assert [bounded_int(0, 3)(text) for text in ("0", "3")] == [0, 3]
