"""`gluepot show --prompt`: the complete prompt of a language model, and the choice among a task's prompts."""

import json

import pytest

from gluepot.cli import main

TASK = "pocket/stance-sv"


def shown(capfd: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["show", *words]) == 0
    return capfd.readouterr().out


def test_the_prompt_of_an_item_is_shown_with_its_shots(capfd: pytest.CaptureFixture[str]) -> None:
    from gluepot.data.examples import load_examples
    from gluepot.tasks.declarations import load_suite

    item = load_examples(load_suite("pocket").tasks["stance-sv"], "test")[0]
    bare = shown(capfd, TASK, "--prompt", "--shots", "0")
    assert str(item.inputs["text"]) in bare
    assert len(shown(capfd, TASK, "--prompt", "--shots", "3")) > len(bare)
    document = json.loads(shown(capfd, TASK, "--prompt", "--shots", "0", "--json"))
    assert document["item"] == item.id
    assert f"{document['prompt']}\n" == bare
    assert len(document["candidates"]) == 3


def test_a_chat_is_shown_turn_by_turn(capfd: pytest.CaptureFixture[str]) -> None:
    assert shown(capfd, TASK, "--prompt", "--form", "instruct", "--shots", "1").count("[user]") == 2


def test_a_prompt_is_selected_by_number(capfd: pytest.CaptureFixture[str]) -> None:
    texts = [shown(capfd, TASK, "--prompt", str(number), "--shots", "0") for number in range(4)]
    assert len(set(texts)) == 4
    assert shown(capfd, TASK, "--prompt", "--shots", "0") == texts[0]


def test_the_task_may_follow_the_prompt_option(capfd: pytest.CaptureFixture[str]) -> None:
    plain = shown(capfd, TASK, "--prompt", "--shots", "0")
    assert shown(capfd, "--shots", "0", "--prompt", TASK) == plain
    assert shown(capfd, "--prompt", "0", "--shots", "0", TASK) == plain


def test_the_former_option_works_and_is_hidden(capfd: pytest.CaptureFixture[str]) -> None:
    assert shown(capfd, TASK, "--prompt", "--wording", "2") == shown(capfd, TASK, "--prompt", "2")
    for command in ("show", "evaluate"):
        with pytest.raises(SystemExit):
            main([command, "--help"])
        assert "wording" not in capfd.readouterr().out
    plans = []
    for option in ("--wording", "--prompt"):
        assert main(["evaluate", "lm:x", TASK, option, "2", "--dry-run", "--json"]) == 0
        plans.append(json.loads(capfd.readouterr().out))
    assert plans[0] == plans[1]
    assert plans[0]["model"] == "lm:x --prompt 2"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([TASK, "--prompt", "9"], "there are prompts 0 to 3, not 9"),
        ([TASK, "--prompt", "two"], "--prompt two: write a whole number from 0 to 1,000"),
        (["pocket", "--prompt"], "such as pocket/"),
        (["--prompt", "2"], "give a SUITE or a SUITE/TASK"),
        ([], "give a SUITE or a SUITE/TASK"),
        ([TASK, "--prompt", "--item", "nowhere"], "no item 'nowhere'"),
    ],
)
def test_invalid_arguments_for_a_prompt_are_wrong_use(words: list[str], said: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["show", *words]) == 2
    assert said in capfd.readouterr().err
