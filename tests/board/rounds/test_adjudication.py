"""Adjudication of disputed items by the keeper, on a page and by command, separate from the raters' votes."""

import json

import pytest
from tests.board.rounds.raters import hidden, opened, visit

from gluepot.errors import WrongUse


@pytest.fixture
def split(rounds):
    """Return a round of one item on which two raters disagree, and its keeper's token."""
    made, keeper, tokens = opened(2, items=1, votes=2)
    for place, token in enumerate(tokens):
        visit(token, {"go": "consent"})
        page = visit(token).content.decode()
        choices = page.split('name="answer" value="')[1:]
        said = sorted(choice[0] for choice in choices)[place]
        visit(token, {"item": hidden(page, "item"), "question": "", "answer": said})
    return made, keeper


def test_the_keepers_page_adds_a_vote_and_overwrites_none(split) -> None:
    from gluepot.board.rounds.models import CastVote

    made, keeper = split
    before = list(CastVote.objects.order_by("pk").values_list("pk", "value", "current"))
    page = visit(keeper, path="keeper").content.decode()
    item = made.items.get()
    assert f"?item={item.pk}&amp;asked=0" in page
    decide = visit(keeper, path="keeper", query=f"?item={item.pk}&asked=0").content.decode()
    assert "wren" in decide
    assert "robin" in decide
    done = visit(keeper, {"answer": "0"}, path="keeper", query=f"?item={item.pk}&asked=0")
    assert (done.status_code, done["Location"]) == (302, f"/keeper/{keeper}")
    votes = list(CastVote.objects.order_by("pk").values_list("pk", "value", "current"))
    assert votes[:2] == before
    assert len(votes) == 3
    assert CastVote.objects.filter(adjudicated=True, current=True).count() == 1
    visit(keeper, {"answer": "1"}, path="keeper", query=f"?item={item.pk}&asked=0")
    assert CastVote.objects.count() == 4
    assert CastVote.objects.filter(adjudicated=True, current=True).count() == 1


def test_invalid_answer_is_refused(split) -> None:
    from gluepot.board.rounds.models import CastVote
    from gluepot.board.rounds.votes.adjudication import adjudicate

    made, keeper = split
    item = made.items.get()
    with pytest.raises(WrongUse, match="is not a label of this task"):
        adjudicate(made, item.item, "wonderful")
    with pytest.raises(WrongUse, match="no item 'nowhere'"):
        adjudicate(made, "nowhere", "positive")
    with pytest.raises(WrongUse, match="no question"):
        adjudicate(made, item.item, "positive", "Which?")
    refused = visit(keeper, {"answer": "77"}, path="keeper", query=f"?item={item.pk}&asked=0").content.decode()
    assert "That is none of the answers" in refused
    assert not CastVote.objects.filter(adjudicated=True).exists()


def test_command_lists_and_decides_disputed_items(split, board_folder, capfd) -> None:
    from gluepot.cli import main

    made, _ = split
    item = made.items.get().item
    assert main(["annotate", "adjudicate", made.name, "--dir", str(board_folder), "--json"]) == 0
    (row,) = json.loads(capfd.readouterr().out)["disputed"]
    assert (row["item"], sorted(row["votes"].values()), row["decided"]) == (item, [1, 1], None)
    label = next(iter(row["votes"]))
    assert main(["annotate", "adjudicate", made.name, item, label, "--dir", str(board_folder)]) == 0
    assert "1 decided" in capfd.readouterr().out
    assert main(["annotate", "adjudicate", made.name, item, "--dir", str(board_folder)]) == 2
    assert "an answer is missing" in capfd.readouterr().err


def test_adjudication_breaks_a_tie_and_is_excluded_from_agreement(split, tmp_path) -> None:
    import msgspec

    from gluepot.board.rounds.status import round_status, round_votes
    from gluepot.board.rounds.votes.adjudication import adjudicate, disputed
    from gluepot.people.human import human_report
    from gluepot.tasks.declarations import find

    made, _ = split
    before = round_status(made)
    second = list(disputed(made)[0].votes)[1]
    adjudicate(made, made.items.get().item, second)
    after = round_status(made)
    assert [one.value for one in after.agreement] == [one.value for one in before.agreement]
    assert [row.rater for row in after.table] == [row.rater for row in before.table]
    (tmp_path / "votes.jsonl").write_bytes(msgspec.json.Encoder().encode_lines(list(round_votes(made))))
    suite, task = find("pocket/stance-sv")
    report, human = human_report(suite, task, [tmp_path / "votes.jsonl"], resamples=10)
    assert human.consensus.answers[0][0][0] == second
    assert (report.ties, report.votes, report.raters) == (0, 3, 2)
    assert report.agreement[0].votes == 2
