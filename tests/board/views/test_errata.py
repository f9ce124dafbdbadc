"""Errata: claims recomputed from the board and the official files, and left open where these are missing."""

import json
import os
from pathlib import Path
from shutil import copy, copytree
from typing import Any

import pytest
from django.test import Client
from tests.board.views.answering import add_score, add_system, open_suite

HOST = {"HTTP_HOST": "localhost"}
NEED_DATA = {
    **dict.fromkeys(("argumentation", "diagnostics", "analogies"), "superlim"),
    **dict.fromkeys(("known-texts", "russe", "features", "russian-sizes"), "russian-superglue"),
    **dict.fromkeys(("wic-sentences", "copies", "annotation", "basque-sizes"), "basqueglue"),
    **dict.fromkeys(("vocabulary", "scale"), "superlim"),
}
"""Claims that need official files, with the suite of these files."""


def claims(client: Client) -> dict[str, dict[str, Any]]:
    return {claim["key"]: claim for claim in json.loads(client.get("/errata.json").content)["claims"]}


def change() -> None:
    """Bump the revision as an import does."""
    from gluepot.board.importing.storage.entries import bump_revision

    bump_revision()


def test_empty_board_names_missing_data_and_shows_claims_that_need_none(
    board: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLUEPOT_DATA", str(tmp_path))
    response = Client(**HOST).get("/errata")
    assert response.status_code == 200
    found = claims(Client(**HOST))
    assert found["parity"]["lines"] == []
    assert "on this board" in found["parity"]["missing"]
    assert "gluepot data fetch" in found["entities"]["missing"]
    for key, suite in NEED_DATA.items():
        assert (found[key]["lines"], f"gluepot data fetch {suite}" in found[key]["missing"]) == ([], True), key
    assert found["rouge"]["lines"][0]["printed"] == 1.0
    assert found["rouge"]["lines"][0]["computed"] == 0.0
    assert (found["duplicates"]["lines"][0]["printed"], found["duplicates"]["lines"][0]["computed"]) == (0.5, 0.75)


def test_misprints_are_recomputed_from_their_own_rows(board: Path) -> None:
    lines = {line["what"]: line for line in claims(Client(**HOST))["misprints"]["lines"]}
    assert lines["Decision Tree, SweNLI"]["printed"] == 0.192
    assert lines["Decision Tree, SweNLI"]["computed"] == pytest.approx(0.013, abs=0.005)
    assert round(lines["Random, average"]["computed"], 3) == -0.023
    assert round(lines["Decision Tree, average"]["computed"], 3) == 0.097


def test_human_benchmark_is_not_ranked_and_every_system_moves_up(board: Path) -> None:
    lines = claims(Client(**HOST))["human"]["lines"]
    assert lines[0]["what"] == "HUMAN BENCHMARK"
    assert lines[0]["printed"] == 1
    assert lines[0]["computed"] is None
    assert [line["computed"] for line in lines if line["computed"]] == list(range(1, 11))


def test_simulated_coverage_of_published_intervals_is_too_low(board: Path) -> None:
    printed, ours = claims(Client(**HOST))["intervals"]["lines"]
    assert printed["computed"] == pytest.approx(43, abs=1.5)
    assert ours["computed"] == pytest.approx(95, abs=1)


def test_stated_values_are_compared_with_computed_ones(board: Path) -> None:
    from gluepot.board.models import Stated

    version = open_suite("superlim")
    entry = add_system(version, "even", name="<b>Even</b>")
    add_score(entry, "swewinogender", "gender-parity", 1.0, n=208)
    rows = [("swewinogender", "gender-parity", 1 / 3, 1.0), ("swediagnostics", "n", 305.0, 1104.0)]
    for task, metric, stated, computed in rows:
        Stated.objects.create(entry=entry, task=task, split="test", metric=metric, stated=stated, computed=computed, agrees=False)
    change()
    found = claims(Client(**HOST))
    assert found["parity"]["lines"][0]["note"].endswith("= 1.0000")
    assert found["size"]["lines"][0]["note"] == "the size of SweNLI test"
    page = Client(**HOST).get("/errata").content.decode()
    assert "<b>Even</b>" not in page
    assert "&lt;b&gt;Even&lt;/b&gt;" in page


def test_swefaq_values_are_compared_with_both_metrics(board: Path) -> None:
    entry = add_system(open_suite("superlim"), "svm", name="SVM")
    add_score(entry, "swefaq", "alpha-nominal", 0.0379)
    add_score(entry, "swefaq", "pseudo-alpha", 0.0412)
    change()
    found = claims(Client(**HOST))
    line = found["faq"]["lines"][0]
    assert (line["printed"], round(line["computed"], 3), line["note"]) == (0.038, 0.041, "nominal α: 0.038")
    assert "1 come out" in found["checked"]["text"]
    task = Client(**HOST).get("/b/superlim/2.0.4/tasks/swefaq").content.decode()
    assert "/errata#faq" in task


def test_timings_that_differ_from_the_paper_are_listed(board: Path) -> None:
    from gluepot.board.models import Measurement

    entry = add_system(open_suite("russian-superglue"), "rubert", name="RuBERT plain")
    entry.kind = "timing"
    entry.save()
    for task, value, reported in (("RCB", 294.7, 295.0), ("TERRa", 197.0, 179.0)):
        Measurement.objects.create(entry=entry, task=task, quantity="throughput", value=value, reported=reported, profile="p")
    change()
    claim = claims(Client(**HOST))["timings"]
    assert [line["what"] for line in claim["lines"]] == ["RuBERT plain, TERRa, throughput"]
    assert "for 2 are on this board; 1 of these agree" in claim["missing"]


def test_danish_entities_and_faq_candidates_on_real_data(board: Path, real_data: Path) -> None:
    found = claims(Client(**HOST))
    dane = found["entities"]["lines"][1]
    assert dane["computed"] == pytest.approx(0.8, abs=0.01)  # two thirds found: recall 2/3, precision 1
    assert dane["printed"] < dane["computed"] - 0.1
    line = found["candidates"]["lines"][0]
    assert (line["printed"], line["computed"]) == (2049, 2007)


@pytest.mark.slow
def test_real_submissions_show_parity_size_and_swefaq_errata(board: Path, submissions: Path, tmp_path: Path) -> None:
    from gluepot.board.importing import import_paths

    name = "KB-bert-base-swedish-cased"
    for task in ("swefaq", "swediagnostics", "swewinogender"):
        copytree(submissions / "superlim" / name / task, tmp_path / name / task)
    copy(submissions / "superlim" / name / f"{name}.json", tmp_path / name)
    import_paths([tmp_path / name], "superlim")
    found = claims(Client(**HOST))
    assert round(found["parity"]["lines"][0]["printed"], 4) == 0.3333
    assert found["parity"]["lines"][0]["computed"] == 1.0
    assert [(line["printed"], line["computed"]) for line in found["size"]["lines"]] == [(305, 1104)]
    assert len(found["faq"]["lines"]) == 1
    assert "0 differ by more" in found["checked"]["text"]


def figures(claim: dict[str, Any]) -> dict[str, tuple[float, float]]:
    return {line["what"]: (line["printed"], line["computed"]) for line in claim["lines"]}


def test_every_claim_has_a_unique_key_and_existing_tasks(board: Path) -> None:
    from gluepot.board.errata import claims, makers
    from gluepot.tasks.declarations import find

    keys = [claim.key for claim in claims()]
    assert len(keys) == len(set(keys))
    assert all(find(path)[1] is not None for tasks in makers().values() for path in tasks)


def test_old_address_still_works(board: Path) -> None:
    client = Client(**HOST)
    for old, new in (("/truth", "/errata"), ("/truth.json", "/errata.json"), ("/sv/truth", "/sv/errata")):
        assert client.get(old).status_code == 200
        assert client.get(new).status_code == 200
    assert "Errata" in client.get("/truth").content.decode()


def test_development_items_in_the_training_set_are_counted(board: Path, real_data: Path) -> None:
    claim = claims(Client(**HOST))["argumentation"]
    assert figures(claim) == {"Argumentation sentences, dev": (750, 622), "Argumentation sentences, test": (1065, 1)}
    assert "621 of them with the same id and label" in claim["lines"][0]["note"]
    assert "/errata#argumentation" in task_page("superlim/2.0.4", "argumentation-sentences")


def task_page(board: str, task: str) -> str:
    open_suite(board.split("/")[0])
    change()
    return Client(**HOST).get(f"/b/{board}/tasks/{task}").content.decode()


def test_two_translations_of_an_item_are_compared(board: Path, real_data: Path) -> None:
    found = claims(Client(**HOST))
    label, tag = found["diagnostics"]["lines"][0], found["features"]["lines"][0]
    assert (label["printed"], label["computed"]) == (1104, 1)
    assert label["note"].startswith("233: “Jag åt pizza.” – “Jag åt pizza med vänner.” (entailment; LiDiRus: not_entailment)")
    assert (tag["printed"], tag["computed"], tag["note"]) == (1104, 1, "832 lacks Redundancy")


def test_analogies_are_counted_by_defect(board: Path, real_data: Path) -> None:
    assert [(line["printed"], line["computed"]) for line in claims(Client(**HOST))["analogies"]["lines"]] == [
        (20_638, 643),
        (19_905, 48),
        (20_638, 637),
        (18_593, 103),
        (18_593, 18_563),
    ]


def test_evaluation_items_on_training_texts_are_counted(board: Path, real_data: Path) -> None:
    assert figures(claims(Client(**HOST))["known-texts"]) == {
        "TERRa, test": (3198, 2150),
        "TERRa, val": (307, 206),
        "DaNetQA, test": (805, 144),
        "DaNetQA, val": (821, 124),
        "RCB, test": (438, 42),
        "RCB, val": (220, 16),
    }


def test_russe_training_and_validation_sets_share_sentences(board: Path, real_data: Path) -> None:
    assert [(line["printed"], line["computed"]) for line in claims(Client(**HOST))["russe"]["lines"]] == [
        (4275, 4139),
        (8505, 8335),
        (8505, 8490),
    ]


def test_constant_baseline_shows_macro_f1_of_rcb_and_weighted_f1_of_humans(board: Path) -> None:
    constant, people, russe = claims(Client(**HOST))["human-scores"]["lines"]
    assert (constant["printed"], round(constant["computed"], 3)) == (0.217, 0.217)
    assert "weighted it would be 0.316" in constant["note"]
    assert (people["printed"], people["computed"]) == (0.68, None)
    assert people["note"].startswith("weighted F1")
    assert (russe["printed"], russe["computed"]) == (0.805, None)


def test_f1_of_a_constant_answer_matches_the_metrics() -> None:
    from gluepot.metrics import METRICS
    from gluepot.published.errata.russian_superglue.leaderboard import constant_f1

    gold = ["a"] * 5 + ["b"] * 3 + ["c"] * 2
    macro, weighted = constant_f1(0.5, 3)
    assert METRICS["macro-f1"](gold, ["a"] * 10) == pytest.approx(macro)
    assert METRICS["weighted-f1"](gold, ["a"] * 10) == pytest.approx(weighted)


def test_repeated_sentences_of_basqueglue_wic_are_counted(board: Path, real_data: Path) -> None:
    assert [(line["printed"], line["computed"]) for line in claims(Client(**HOST))["wic-sentences"]["lines"]] == [(0, 338), (0, 20)]


def test_basque_duplicates_and_annotation_errors_are_counted(board: Path, real_data: Path) -> None:
    found = claims(Client(**HOST))
    assert [line["computed"] for line in found["copies"]["lines"]] == [358, 65, 49, 48, 36, 2]
    assert [(line["printed"], line["computed"]) for line in found["annotation"]["lines"]] == [
        (0, 668),
        (0, 341),
        (0, 5),
        (1893, 1893),
        (1893, 0),
    ]


def test_sizes_are_compared_with_the_papers(board: Path, real_data: Path) -> None:
    found = claims(Client(**HOST))
    assert set(figures(found["superlim-sizes"]).values()) == {(976, 1000), (1106, 1104), (392_704, 392_702)}
    assert set(figures(found["russian-sizes"]).values()) == {(8508, 8505), (5228, 5239), (1750, 1749), (7527, 7577)}
    gaps = [line["printed"] - line["computed"] for line in found["basque-sizes"]["lines"]]
    assert gaps == [1, 1, 1, 1, 1, 2]


def test_only_percentage_that_contradicts_its_count_is_listed(board: Path) -> None:
    [line] = claims(Client(**HOST))["percentages"]["lines"]
    assert line["what"] == "Anno 4, relatedness, hard-disagreements"
    assert (line["printed"], round(line["computed"]), line["note"]) == (8, 6, "4 of 69 pairs")


def test_supersim_quotation_vocabulary_and_scale_are_corrected(board: Path, real_data: Path) -> None:
    found = claims(Client(**HOST))
    [quoted] = found["quotation"]["lines"]
    assert (quoted["printed"], quoted["computed"], quoted["note"]) == (0.436, 0.453, "0.436 is the figure of SimLex-999")
    assert figures(found["vocabulary"]) == {"words": (1301, 1288)}
    assert figures(found["scale"]) == {"dryck – mun, relatedness, a3": (10, 19)}


def test_counts_are_cached_until_their_files_change(board: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gluepot.board.errata.counting import counted

    folder = tmp_path / "basqueglue" / "wic"
    folder.mkdir(parents=True)
    monkeypatch.setenv("GLUEPOT_DATA", str(tmp_path))
    asked = []

    @counted("basqueglue/wic/test")
    def size(rows: list[dict[str, Any]]) -> int:
        asked.append(len(rows))
        return len(rows)

    for rows, times in ((1, 2), (2, 1)):
        (folder / "test.jsonl").write_text('{"idx": 0}\n' * rows)
        os.utime(folder / "test.jsonl", ns=(rows, rows))
        assert {size() for _ in range(times)} == {rows}
    assert asked == [1, 2]
