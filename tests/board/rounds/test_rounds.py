"""Annotation rounds: item assignment, leases, access by link, pages without gold answers, and votes that are never overwritten."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from tests.board.rounds.raters import answer_all, answer_one, counts, hidden, opened, visit


def test_every_item_gets_the_requested_number_of_votes(rounds) -> None:
    made, _, tokens = opened(3)
    answer_all(tokens)
    assert counts(made) == [2] * 6


def test_concurrent_raters_never_exceed_the_requested_votes(rounds) -> None:
    from django.db import connection

    made, _, tokens = opened(50, items=20, votes=3)

    def rate(token: str) -> None:
        try:
            while answer_one(token):
                pass
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(rate, tokens))
    assert counts(made) == [3] * 20


def test_expired_lease_releases_the_item(rounds) -> None:
    from django.utils import timezone

    from gluepot.board.rounds.models import ItemLease

    made, _, (gone, here) = opened(2, items=1, votes=1)
    visit(gone, {"go": "consent"})
    visit(gone)
    assert not answer_one(here)
    ItemLease.objects.update(expires=timezone.now() - timedelta(seconds=1))
    assert answer_one(here)
    assert counts(made) == [1]


def test_answer_after_lease_expiry_is_saved(rounds) -> None:
    """This is the only way for an item to exceed the requested number of votes."""
    from django.utils import timezone

    from gluepot.board.rounds.models import ItemLease, ItemTally

    made, _, (late, here) = opened(2, items=1, votes=1)
    visit(late, {"go": "consent"})
    page = visit(late).content.decode()
    ItemLease.objects.update(expires=timezone.now() - timedelta(seconds=1))
    assert answer_one(here)
    visit(late, {"item": hidden(page, "item"), "question": "", "answer": "1"})
    assert counts(made) == [2]
    assert ItemTally.objects.get().taken == 2


def test_skipped_item_goes_to_others_and_back_reclaims_it_while_votes_are_missing(rounds) -> None:
    from gluepot.board.rounds.models import CastVote

    made, _, (one, two) = opened(2, items=1, votes=1)

    def skip() -> str:
        page = visit(one).content.decode()
        visit(one, {"item": hidden(page, "item"), "question": "", "go": "skip"})
        return hidden(page, "item")

    visit(one, {"go": "consent"})
    item = skip()
    assert "Thank you" in visit(one).content.decode()
    assert visit(one, {"go": "back"})["Location"] == f"/r/{one}"
    assert hidden(visit(one).content.decode(), "item") == item
    assert skip() == item
    assert answer_one(two)
    visit(one, {"go": "back"})
    assert "Thank you" in visit(one).content.decode()
    visit(one, {"item": item, "question": "", "answer": "0"})
    assert counts(made) == [1]
    assert CastVote.objects.filter(skipped=True, current=True).count() == 1


def test_tallies_equal_votes_and_leases_after_random_actions(rounds) -> None:
    from random import Random

    from gluepot.board.rounds.models import ItemLease, ItemTally

    made, _, tokens = opened(5, items=4, votes=3)
    rng = Random(7)
    for token in tokens:
        visit(token, {"go": "consent"})
    for _ in range(80):
        token = rng.choice(tokens)
        page = visit(token).content.decode()
        if 'name="item"' not in page or rng.random() < 0.2:
            back = visit(token, {"go": "back"})
            page = visit(token, query=back["Location"].partition(token)[2]).content.decode()
        if 'name="item"' in page:
            act = {"go": "skip"} if rng.random() < 0.3 else {"answer": rng.choice("01")}
            visit(token, {"item": hidden(page, "item"), "question": "", **act})
    held = [ItemLease.objects.filter(item=item, live=True).count() for item in made.items.order_by("pk")]
    votes = counts(made)
    assert max(votes) <= 3
    assert list(ItemTally.objects.order_by("item").values_list("taken", flat=True)) == [a + b for a, b in zip(votes, held, strict=True)]


def test_answer_and_next_page_take_four_statements(rounds, monkeypatch) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from gluepot.board.rounds.votes import assignment, voting
    from gluepot.board.rounds.votes.queries import run

    asked = []
    for module in (assignment, voting):
        monkeypatch.setattr(module, "run", lambda statement, words: (asked.append(statement), run(statement, words))[1])
    _, _, (token,) = opened(1)
    answer_one(token)
    page = visit(token).content.decode()
    asked.clear()
    with CaptureQueriesContext(connection) as others:
        visit(token, {"item": hidden(page, "item"), "question": "", "answer": "0"})
        visit(token)
    assert len(asked) == 4
    assert [one["sql"][:80] for one in others.captured_queries if "rounds_rounditem" not in one["sql"]] == []


def test_link_resumes_at_the_same_item(rounds) -> None:
    _, _, (token,) = opened(1)
    visit(token, {"go": "consent"})
    first, again = (hidden(visit(token).content.decode(), "item") for _ in range(2))
    assert first == again


def test_guessed_revoked_closed_and_foreign_links_open_nothing(rounds) -> None:
    from gluepot.board.rounds.models import AnnotationRound
    from gluepot.board.rounds.opening import revoke

    made, keeper, (one, two) = opened(2)
    other, _, (third,) = opened(1, seed=1)
    nothing = visit("a" * 32).content
    assert visit("a" * 32).status_code == 404
    revoke(made, ["wren"])
    assert (visit(one).status_code, visit(one).content) == (404, nothing)
    assert visit(one, {"go": "consent"}).status_code == 404
    assert visit(two).status_code == 200
    assert visit(two, path="keeper").status_code == 404
    assert visit(keeper).status_code == 404
    visit(two, {"go": "consent"})
    visit(third, {"go": "consent"})
    foreign = hidden(visit(third).content.decode(), "item")
    visit(two, {"item": foreign, "question": "", "answer": "0"})
    assert counts(other) == [0] * 6
    AnnotationRound.objects.filter(pk=other.pk).update(closed=True)
    assert visit(third).content == nothing


def test_tokens_are_stored_hashed(rounds) -> None:
    from gluepot.board.rounds.models import AnnotationRound, RoundRater

    _, keeper, (token,) = opened(1)
    stored = [*RoundRater.objects.values_list("token", flat=True), *AnnotationRound.objects.values_list("keeper", flat=True)]
    assert token not in stored
    assert keeper not in stored
    assert all(len(one) == 64 for one in stored)


def test_rater_pages_show_neither_gold_nor_other_votes(rounds) -> None:
    from gluepot.board.rounds.models import CastVote

    _, _, (one, two) = opened(2, "pocket/questions-da", votes=2)
    visit(one, {"go": "consent"})
    page = visit(one).content.decode()
    visit(one, {"item": hidden(page, "item"), "question": "", "answer": "zebrafinken", "comment": "et mærkeligt ord"})
    assert CastVote.objects.get().value == "zebrafinken"
    visit(two, {"go": "consent"})
    for _ in range(6):
        page = visit(two).content.decode()
        assert "zebrafinken" not in page
        assert "mærkeligt" not in page
        assert "<mark" not in page
        if 'name="item"' not in page:
            break
        visit(two, {"item": hidden(page, "item"), "question": "", "go": "skip"})


def test_training_shows_the_answer_and_is_not_counted(rounds) -> None:
    made, _, (token,) = opened(1, training=1, controls=1, items=2, votes=1)
    visit(token, {"go": "consent"})
    page = visit(token).content.decode()
    assert "Training" in page
    done = visit(token, {"item": hidden(page, "item"), "question": "", "answer": "0"})
    assert done["Location"].endswith("?feedback=1")
    after = visit(token, query="?feedback=1").content.decode()
    assert "Right:" in after or "the answer was" in after
    while answer_one(token):
        pass
    assert counts(made) == [1, 1]


def test_changed_answer_preserves_the_former_vote(rounds) -> None:
    from gluepot.board.rounds.models import CastVote

    _, _, (token,) = opened(1)
    answer_one(token, "0")
    back = visit(token, {"go": "back"})
    page = visit(token, query=back["Location"].partition(token)[2]).content.decode()
    assert 'aria-pressed="true"' in page
    visit(token, {"item": hidden(page, "item"), "question": "", "answer": "1"})
    assert list(CastVote.objects.order_by("pk").values_list("current", flat=True)) == [False, True]


def test_word_pair_round_asks_question_by_question_and_refuses_off_scale_answers(rounds) -> None:
    made, _, tokens = opened(2, "pocket/word-pairs-eu", items=3, votes=2, questions=["Similar?", "Related?"], repeats=1)
    visit(tokens[0], {"go": "consent"})
    page = visit(tokens[0]).content.decode()
    refused = visit(tokens[0], {"item": hidden(page, "item"), "question": "Similar?", "answer": "19"})
    assert "That is off the scale" in refused.content.decode()
    asked = []
    for token in tokens:
        while True:
            page = visit(token).content.decode()
            if token == tokens[0] and 'name="question"' in page:
                asked.append(hidden(page, "question"))
            if not answer_one(token, "3"):
                break
    assert asked == sorted(asked, reverse=True)
    assert asked.count("Similar?") == asked.count("Related?") == 4
    assert counts(made) == [4] * 3


def test_human_command_reads_exported_votes(rounds, tmp_path, monkeypatch, capfd) -> None:
    from gluepot.board.rounds.votes.adjudication import adjudicate
    from gluepot.cli import main

    made, _, tokens = opened(3, items=8, votes=2, repeats=2)
    answer_all(tokens)
    first = made.items.filter(kind="main").first()
    adjudicate(made, first.item, "positive")
    monkeypatch.chdir(tmp_path)
    import msgspec

    from gluepot.board.rounds.status import round_status, round_votes

    votes = list(round_votes(made))
    assert sum(vote.kind == "adjudication" for vote in votes) == 1
    assert counts(made) == [3 if item.item == first.item else 2 for item in made.items.filter(kind="main")]
    status = round_status(made)
    assert (status.votes_given, status.votes_asked, status.done) == (16, 16, 8)
    (tmp_path / "votes.jsonl").write_bytes(msgspec.json.Encoder().encode_lines(votes))
    assert main(["human", "pocket/stance-sv", "votes.jsonl", "--json", "--resamples", "20"]) == 0
    document = json.loads(capfd.readouterr().out)
    assert (document["items"], document["votes"]) == (8, 17)


def test_rounds_and_board_share_a_process_but_no_addresses(rounds) -> None:
    from django.conf import settings
    from django.test import Client

    before = settings.ROOT_URLCONF, list(settings.MIDDLEWARE)
    _, keeper, (token,) = opened(1)
    assert visit(token).status_code == 200
    assert (settings.ROOT_URLCONF, list(settings.MIDDLEWARE)) == before
    site = Client(headers={"host": "localhost"})
    assert site.get("/about").status_code == 404
    assert site.get("/").status_code == 200
    assert [site.get(f"/{path}").status_code for path in (f"r/{token}", f"keeper/{keeper}")] == [404, 404]
    assert visit("", path="b/pocket/1").status_code == 404


def test_error_log_omits_the_link_token(rounds, monkeypatch, caplog) -> None:
    from gluepot.board.rounds.views import rater

    _, _, (token,) = opened(1)
    monkeypatch.setattr(rater, "next_item", lambda visit: 1 / 0)
    visit(token, {"go": "consent"})
    failed = visit(token)
    assert failed.status_code == 503
    assert failed["Cache-Control"] == "private, no-store"
    assert "ZeroDivisionError" in caplog.text
    assert token not in caplog.text


def test_public_board_does_not_resolve_round_addresses(board_folder) -> None:
    from django.urls import Resolver404, resolve

    for address in ("/r/abcdefgh", "/keeper/abcdefgh"):
        with pytest.raises(Resolver404):
            resolve(address, "gluepot.board.server.urls")
