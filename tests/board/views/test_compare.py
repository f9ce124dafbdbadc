"""The compare page: results equal to those of the command line, and explanations where no test is possible."""

import csv
import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client
from tests.board.filling import fill
from tests.board.views.answering import add_score, add_system, open_suite

from gluepot.tasks.declarations import load_suite

SUITE = load_suite("superlim")
ADDRESS = f"/b/superlim/{SUITE.version}/compare"
KB, MEGATRON = "KB-bert-base-swedish-cased", "KBLab-megatron-bert-large-swedish-cased-165k"


@pytest.fixture
def client(board: Path) -> Client:
    fill(6)
    return Client(HTTP_HOST="localhost")


def document(client: Client, query: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(client.get(f"{ADDRESS}.json?{query}").content)
    return found


def give_answers(task: str, right: dict[str, list[float]]) -> None:
    """Store per-item scores for the named systems."""
    from gluepot.board.models import Answers, Entry

    for slug, merits in right.items():
        entry = Entry.objects.get(system__slug=slug)
        packed = np.array(merits, np.float32).tobytes()
        Answers.objects.create(entry=entry, task=task, split="test", file="none", merits=packed)


def test_results_equal_those_of_the_command_line(board: Path, submissions: Path) -> None:
    from gluepot.board.importing import import_paths
    from gluepot.runs.comparison.comparison import compare_systems, load_system

    folders = [submissions / "superlim" / name for name in (KB, MEGATRON)]
    import_paths(folders)
    systems = [load_system(folder, SUITE)[1] for folder in folders]
    pairs = [system.pairs for system in systems]
    for split in ("test", "dev"):
        for system, all_pairs in zip(systems, pairs, strict=True):
            system.pairs = {key: pair for key, pair in all_pairs.items() if key[1] == split}
        expected = {row.task: row for row in compare_systems(systems)}
        found = document(Client(HTTP_HOST="localhost"), f"a={KB.lower()}&b={MEGATRON.lower()}&split={split}")
        assert {duel["task"] for duel in found["duels"]} == set(expected)
        for duel in found["duels"]:
            assert_same(duel, expected[duel["task"]])


def assert_same(duel: dict[str, Any], row: Any) -> None:
    judged = duel["judged"]
    assert (duel["metric"], duel["n"], judged["test"]) == (row.metric, row.n, row.test)
    assert (judged["better"], judged["worse"], judged["p_is_bound"]) == (row.better, row.worse, row.p_is_bound)
    ours = [duel["a"], duel["b"], duel["difference"], judged["low"], judged["high"], judged["p"], duel["p_corrected"], judged["detectable"]]
    theirs = [row.value_a, row.value_b, row.difference, row.low, row.high, row.p, row.p_corrected, row.detectable]
    assert ours == pytest.approx(theirs, abs=1e-6), duel["task"]
    if duel["quarters"]:
        assert (duel["quarters"]["only_a"], duel["quarters"]["only_b"]) == (row.better, row.worse)
        assert sum(duel["quarters"].values()) == row.n


def test_overall_difference_is_computed_from_paired_replicates(client: Client) -> None:
    from gluepot.board.models import Score

    whole = document(client, "a=system-1&b=system-3")["overall"]
    draws, values = {}, {}
    for slug in ("system-1", "system-3"):
        rows = [
            Score.objects.get(entry__system__slug=slug, split="test", task=term[0], metric=SUITE.tasks[term[0]].metrics[0])
            for term in SUITE.overall.terms
        ]
        draws[slug] = np.mean([np.frombuffer(row.replicates or b"", np.float32).astype(float) for row in rows], axis=0)
        values[slug] = np.mean([row.value for row in rows])
    gaps = draws["system-1"] - draws["system-3"]
    assert whole["terms"] == whole["of"] == len(SUITE.overall.terms)
    assert whole["difference"] == pytest.approx(values["system-1"] - values["system-3"])
    assert [whole["low"], whole["high"]] == pytest.approx(np.quantile(gaps, [0.025, 0.975]).tolist(), abs=1e-6)
    assert whole["chance"] == pytest.approx((gaps > 0).mean())


def test_accuracy_is_tested_by_mcnemar_with_its_contingency_table(client: Client) -> None:
    from gluepot.board.models import Score

    Score.objects.filter(task="swesat-synonyms").update(n=140)  # ranked by pseudo-alpha, which counts right items
    give_answers(
        "swesat-synonyms", {"system-1": [1] * 80 + [1] * 31 + [0] * 12 + [0] * 17, "system-3": [1] * 80 + [0] * 31 + [1] * 12 + [0] * 17}
    )
    duel = next(duel for duel in document(client, "a=system-1&b=system-3")["duels"] if duel["task"] == "swesat-synonyms")
    assert duel["judged"]["test"] == "McNemar, exact"
    assert duel["judged"]["p"] == pytest.approx(0.0054, abs=1e-4)
    assert duel["quarters"] == {"both": 80, "only_a": 31, "only_b": 12, "neither": 17}
    assert "31 better, 12 worse" in client.get(f"{ADDRESS}?a=system-1&b=system-3").content.decode()


def test_scores_of_several_seeds_are_averaged_and_bootstrapped(client: Client) -> None:
    give_answers("swesat-synonyms", {"system-1": [1, 1, 0], "system-3": [0, 1, 1]})
    give_answers("swesat-synonyms", {"system-1": [0, 1, 1]})
    duel = next(duel for duel in document(client, "a=system-1&b=system-3")["duels"] if duel["task"] == "swesat-synonyms")
    assert (duel["judged"]["test"], duel["quarters"]) == ("paired bootstrap", None)
    assert (duel["judged"]["better"], duel["judged"]["worse"]) == (1, 1)


def test_reported_scores_without_intervals_are_shown_but_not_tested(client: Client) -> None:
    found = document(client, "a=system-3&b=system-4")
    assert {(duel["untested"], duel["judged"], duel["p_corrected"]) for duel in found["duels"]} == {("reported", None, None)}
    assert all(duel["difference"] == duel["a"] - duel["b"] for duel in found["duels"])
    assert found["overall"]["low"] is None
    assert "cannot be tested: reported without an interval" in client.get(f"{ADDRESS}?a=system-3&b=system-4").content.decode()


def give_intervals(slug: str, reach: float) -> None:
    """Set intervals of a half-width `reach` around the scores of a system."""
    from django.db.models import F

    from gluepot.board.models import Score

    Score.objects.filter(entry__system__slug=slug).update(low=F("value") - reach, high=F("value") + reach, method="wilson")


def test_reported_scores_with_intervals_are_tested_from_them_with_a_note(client: Client) -> None:
    give_intervals("system-4", 0.03)
    found = document(client, "a=system-3&b=system-4")
    assert {(duel["untested"], duel["judged"]["test"]) for duel in found["duels"]} == {("", "from both intervals")}
    smallest = min(duel["judged"]["p"] for duel in found["duels"])
    for duel in found["duels"]:
        spread = np.hypot(0.04, 0.03)  # half the widths of both intervals
        assert [duel["judged"]["low"], duel["judged"]["high"]] == pytest.approx([duel["difference"] - spread, duel["difference"] + spread])
        assert (duel["judged"]["p"] < 0.05) == (abs(duel["difference"]) > spread)
        assert (duel["low"] <= 0 <= duel["high"]) == (duel["p_corrected"] >= 0.05)
        assert duel["p_corrected"] >= duel["judged"]["p"]
    assert min(duel["p_corrected"] for duel in found["duels"]) == pytest.approx(min(1, smallest * len(found["duels"])))
    page = client.get(f"{ADDRESS}?a=system-3&b=system-4").content.decode()
    assert "from both intervals" in page
    assert "as if they were of different items" in page


def test_means_of_reported_scores_are_tested_from_the_overall_intervals(client: Client) -> None:
    from gluepot.board.models import Score

    Score.objects.filter(entry__system__slug="system-3").update(replicates=None, verified=False)
    give_intervals("system-3", 0.03)
    give_intervals("system-4", 0.03)
    rows = {row["slug"]: row for row in json.loads(client.get(f"/b/superlim/{SUITE.version}.json").content)["rows"]}
    whole = document(client, "a=system-3&b=system-4")["overall"]
    a, b = rows["system-3"], rows["system-4"]
    below = np.hypot(a["overall"] - a["overall_low"], b["overall_high"] - b["overall"])
    above = np.hypot(a["overall_high"] - a["overall"], b["overall"] - b["overall_low"])
    assert [whole["low"], whole["high"]] == pytest.approx([whole["difference"] - below, whole["difference"] + above], abs=1e-9)
    assert whole["chance"] is None
    assert "from those of the two means" in client.get(f"{ADDRESS}?a=system-3&b=system-4").content.decode()


def test_scores_on_different_data_are_not_subtracted(client: Client) -> None:
    from gluepot.board.models import Score

    Score.objects.filter(task="swenli", entry__system__slug="system-1").update(data="new")
    Score.objects.filter(task="swenli", entry__system__slug="system-3").update(data="old")
    Score.objects.filter(task="swewic", entry__system__slug="system-3").update(n=499)
    duels = {duel["task"]: duel for duel in document(client, "a=system-1&b=system-3")["duels"]}
    assert (duels["swenli"]["untested"], duels["swenli"]["difference"]) == ("other-data", None)
    assert duels["swewic"]["untested"] == "other-items"


def test_p_value_at_its_minimum_is_shown_as_a_bound(client: Client) -> None:
    from gluepot.board.models import Score

    Score.objects.filter(task="swenli", entry__system__slug="system-3").update(
        value=0.99, replicates=np.full(1000, 0.99, np.float32).tobytes()
    )
    Score.objects.filter(task="swenli", entry__system__slug="system-1").update(
        value=0.01, replicates=np.full(1000, 0.01, np.float32).tobytes()
    )
    found = document(client, "a=system-3&b=system-1")
    judged = next(duel["judged"] for duel in found["duels"] if duel["task"] == "swenli")
    assert judged["p_is_bound"]
    assert "SweNLI" in found["better"]
    assert "≤ 0.002" in client.get(f"{ADDRESS}?a=system-3&b=system-1").content.decode()


def test_verdict_summarises_the_comparison(client: Client) -> None:
    from gluepot.board.models import Score

    rng = np.random.default_rng(0)
    for slug in ("system-1", "system-3"):
        for score in Score.objects.filter(entry__system__slug=slug):
            score.value, score.replicates = 0.5, (0.5 + rng.normal(0, 0.05, 1000)).astype(np.float32).tobytes()
            score.save()
    found = document(client, "a=system-1&b=system-3")
    assert found["verdict"][:2] == ["No task separates them at 5 % after correction.", "Their means cannot be told apart."]
    Score.objects.filter(task="swenli", entry__system__slug="system-3").update(
        value=0.99, replicates=np.full(1000, 0.99, np.float32).tobytes()
    )
    clear_cache()
    first, *_ = document(client, "a=system-1&b=system-3")["verdict"]
    assert first == "Org3/model-3-base is better on 1 task (inference), worse on none."
    assert document(client, "a=system-3&b=system-3")["verdict"] == ["These are the same system: choose two."]


def clear_cache() -> None:
    from gluepot.board.importing.storage.entries import bump_revision

    bump_revision()


def test_csv_and_json_agree_and_contain_no_replicates(client: Client) -> None:
    found = document(client, "a=system-1&b=system-3")
    text = client.get(f"{ADDRESS}.csv?a=system-1&b=system-3").content.decode()
    rows = list(csv.DictReader(StringIO("".join(line for line in text.splitlines(True) if not line.startswith("#")))))
    assert [row["task"] for row in rows] == [*(duel["task"] for duel in found["duels"]), "overall"]
    for row, duel in zip(rows, found["duels"], strict=False):
        assert float(row["difference"]) == duel["difference"]
        assert float(row["p"]) == duel["judged"]["p"]
        assert float(row["low"]) == duel["judged"]["low"]
    assert not any(isinstance(value, list) for duel in found["duels"] for value in duel.values())
    assert "# a: =cmd" in text  # notes need no escaping as cells do


def test_intervals_are_rounded_where_labels_are_hidden(board: Path) -> None:
    fill(4, "russian-superglue")
    found = json.loads(Client(HTTP_HOST="localhost").get("/b/russian-superglue/1.1/compare.json?a=system-1&b=system-3").content)
    ends = {duel["task"]: duel["judged"]["low"] for duel in found["duels"]}
    assert ends["RCB"] == round(ends["RCB"], 3)
    assert ends["LiDiRus"] != round(ends["LiDiRus"], 3)


def test_without_two_systems_there_is_a_form(client: Client) -> None:
    for query in ("", "a=system-1", "a=system-1&b="):
        text = client.get(f"{ADDRESS}?{query}").content.decode()
        assert '<select id="a" name="a">' in text
        assert "<table" not in text
    assert '<option value="system-1" selected>' in client.get(f"{ADDRESS}?a=system-1").content.decode()


@pytest.mark.parametrize("query", ["a=nobody&b=system-1", "a=system-1&b=nobody", "a=no%00body&b=system-1"])
def test_unknown_system_is_a_404_with_a_message(client: Client, query: str) -> None:
    for form in ("", ".json", ".csv"):
        response = client.get(f"{ADDRESS}{form}?{query}")
        assert response.status_code == 404
        assert "There is no system" in response.content.decode()


def test_names_are_escaped_and_an_unknown_split_is_reported(client: Client) -> None:
    text = client.get(f"{ADDRESS}?a=system-2&b=system-3&split=training").content.decode()
    assert "<script>alert" not in text
    assert "<code>split=training</code>" in text


def test_overall_verdict_explains_overlapping_ranks_of_different_means(board: Path) -> None:
    """The means of two systems differ, but the correction for many others leaves their ranks open."""
    rng, version = np.random.default_rng(0), open_suite("superlim")
    values = {"first": 0.55, "second": 0.50, **{f"other-{number}": 0.2 + number / 1000 for number in range(12)}}
    for slug, value in values.items():
        entry = add_system(version, slug)
        for term in version.declaration["overall"]["terms"]:
            metric = version.declaration["tasks"][term[0]]["metrics"][0]
            drawn = (value + rng.normal(0, 0.04, 1000)).astype(np.float32).tobytes()
            add_score(entry, term[0], metric, value, low=value - 0.08, high=value + 0.08, n=500, replicates=drawn)
    client = Client(HTTP_HOST="localhost")
    page = client.get("/b/superlim/2.0.4/compare.json?a=first&b=second").json()
    rows = {row["slug"]: row for row in client.get("/b/superlim/2.0.4.json").json()["rows"]}
    assert page["overall"]["low"] > 0, "the means differ"
    overlap = rows["first"]["rank_high"] >= rows["second"]["rank_low"]
    said = page["verdict"][-1]
    assert said.startswith("On the board A has rank ")
    assert ("These overlap, although the means differ" in said) is overlap
    far = client.get("/b/superlim/2.0.4/compare.json?a=first&b=other-3").json()["verdict"][-1]
    assert "overlap" not in far


def test_verdict_explains_disjoint_ranks_of_indistinguishable_means(board: Path) -> None:
    """With skewed resamples the standard deviation of a difference separates two systems, but its interval does not."""
    rng, version = np.random.default_rng(0), open_suite("superlim")
    skewed = (rng.exponential(0.02, 1000) - 0.02).astype(np.float32)
    for slug, value, noise in (("first", 0.545, np.zeros(1000)), ("second", 0.5, skewed)):
        entry = add_system(version, slug)
        for term in version.declaration["overall"]["terms"]:
            metric = version.declaration["tasks"][term[0]]["metrics"][0]
            drawn = (value + noise).astype(np.float32).tobytes()
            add_score(entry, term[0], metric, value, low=value - 0.08, high=value + 0.08, n=500, replicates=drawn)
    client = Client(HTTP_HOST="localhost")
    page = client.get("/b/superlim/2.0.4/compare.json?a=first&b=second").json()
    rows = {row["slug"]: row for row in client.get("/b/superlim/2.0.4.json").json()["rows"]}
    overlap = rows["first"]["rank_high"] >= rows["second"]["rank_low"]
    undecided = page["overall"]["low"] <= 0 <= page["overall"]["high"]
    assert (overlap, undecided) == (False, True)
    assert "These do not overlap, although the means cannot be told apart" in page["verdict"][-1]


def test_forest_plot_has_plain_task_names_undetectable_zone_and_the_mean_first(client: Client) -> None:
    page = client.get(f"{ADDRESS}?a=system-1&b=system-3").content.decode()
    assert re.search(r"<th scope=\"row\">inference<small>SweNLI, \d+</small>", page)
    assert page.index('<tbody class="mean">') < page.index("inference<small>")
    assert re.search(r'<svg class="forest b".*?<rect class="zone"', page, re.DOTALL)
    assert re.search(r'<svg class="scale".*?\+\d+</text>', page)


def report_two_tasks(board: Path) -> Client:
    """Add two systems with reported accuracies on two tasks whose p-values are near 0.03 and 0.04."""
    from gluepot.statistics.wilson import wilson_interval

    version, n = open_suite("russian-superglue"), 1000
    first, second = add_system(version, "first"), add_system(version, "second")
    for task, a, b in (("TERRa", 0.8, 0.7598), ("RWSD", 0.6, 0.5552)):
        for entry, value in ((first, a), (second, b)):
            low, high = wilson_interval(value, n)
            add_score(entry, task, "accuracy", value, low=low, high=high, n=n, verified=False, method="wilson")
    return Client(HTTP_HOST="localhost")


def test_interval_contains_zero_if_not_significant_after_holm_correction(board: Path) -> None:
    """Neither task is significant; the second one's uncorrected p-value would give an interval without zero."""
    found = document_at(report_two_tasks(board), "/b/russian-superglue/1.1/compare.json?a=first&b=second")
    alone = sorted(duel["judged"]["p"] for duel in found["duels"])
    assert alone[0] > 0.025
    assert alone[1] < 0.05
    assert [duel["p_corrected"] for duel in found["duels"]] == pytest.approx([2 * alone[0]] * 2)
    assert all(duel["low"] < 0 < duel["high"] for duel in found["duels"])


def document_at(client: Client, address: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(client.get(address).content)
    return found


def test_exported_tables_mark_reported_scores_and_agree_with_the_page(client: Client) -> None:
    give_intervals("system-4", 0.03)
    for form in ("md", "tex"):
        text = client.get(f"{ADDRESS}.{form}?a=system-3&b=system-4").content.decode()
        rows = [line for line in text.splitlines() if "from both intervals" in line]
        assert len(rows) == len(document(client, "a=system-3&b=system-4")["duels"])
        mark = "ʳ" if form == "md" else r"\textsuperscript{r}"
        assert all(line.count(mark) == 1 for line in rows)
        assert "reported by others" in text
    found = document(client, "a=system-3&b=system-4")
    assert {(duel["a_reported"], duel["b_reported"]) for duel in found["duels"]} == {(False, True)}
    page, table = (client.get(f"{ADDRESS}{form}?a=system-1&b=system-3").content.decode() for form in ("", ".md"))
    for words in ("A is better", "B is better", "not to be told apart", "not decided: too few resamples"):
        body = page[page.index("<tbody") :]
        assert body.count(f">{words}<") == table.count(f"| {words} |"), words
    assert "ʳ" not in table
