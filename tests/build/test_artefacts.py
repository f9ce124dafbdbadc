"""Artefact report: predictive and uninformative features, known leaks, near-copies against a brute-force loop, caching."""

import json
import random
from pathlib import Path

import pytest
from msgspec.structs import replace

from gluepot.build.artefacts.cache import cached_report
from gluepot.build.artefacts.features import jaccard
from gluepot.build.artefacts.leaks import find_leaks
from gluepot.build.artefacts.near_copies import near_pairs
from gluepot.build.artefacts.report import Artefact, find_artefacts
from gluepot.build.artefacts.tasks import TaskArtefacts
from gluepot.cli import main
from gluepot.records import Example, Task
from gluepot.tasks import KINDS
from gluepot.tasks.declarations import load_suite


def test_near_copies_match_a_brute_force_search() -> None:
    rng = random.Random(3)
    texts = [" ".join(f"w{int(rng.expovariate(0.08))}" for _ in range(rng.randint(1, 14))) for _ in range(300)]
    texts += [" ".join(text.split()[:-1]) for text in texts if len(text.split()) > 5]
    plain = [(b, a) for b in range(len(texts)) for a in range(b) if jaccard(texts[a], texts[b]) >= 0.8]
    firsts: dict[int, int] = {}
    for place, earlier in plain:
        firsts[place] = min(earlier, firsts.get(place, earlier))
    found = dict(near_pairs([text.split() for text in texts]))
    assert set(found) == set(firsts)
    assert len(found) > 50


def pairs(count: int, tell: bool) -> list[Example]:
    rng = random.Random(1)
    made = []
    for number in range(count):
        label = ("yes", "no")[number % 2]
        shared = tell and label == "yes"
        text = f"ord{number} {'samma' if shared else 'annat'} {rng.random()}"
        made.append(Example(str(number), {"text": text, "pair": f"{'samma' if shared else 'tredje'} {rng.random()}"}, label))
    return made


@pytest.mark.parametrize("tell", [True, False])
def test_rule_is_flagged_only_if_its_feature_predicts_the_label(tell: bool) -> None:
    found = {
        one.rule: one for one in find_artefacts(KINDS["pair-classification"], {"train": pairs(200, tell), "test": pairs(120, tell)[20:]})
    }
    assert found["overlap"].tells is tell
    assert found["one word of pair"].tells is tell
    assert all(one.low <= one.accuracy <= one.high for one in found.values())


def test_random_labels_flag_no_rule() -> None:
    """Rules that fit noise in the training data are no better than chance on the test data."""
    rng = random.Random(5)
    splits = {
        s: [Example(f"{s}{n}", {"text": f"{rng.random()} {rng.random()}"}, rng.choice("ab")) for n in range(150)] for s in ("train", "test")
    }
    assert not any(one.tells for one in find_artefacts(KINDS["classification"], splits))


def test_punctuation_only_texts_count_as_copies_and_empty_texts_do_not() -> None:
    train = [Example("1", {"text": "."}, "a"), Example("2", {"text": ""}, "a")]
    test = [Example(str(n), {"text": text}, "a") for n, text in enumerate((".", "!", "", " "))]
    leaks = find_leaks(KINDS["classification"], {"train": train, "test": test})
    assert [(leak.what, leak.copies, leak.near) for leak in leaks] == [("item", 1, 1)]


def test_leaks_count_copies_near_copies_answers_and_groups() -> None:
    train = [Example("1", {"text": "Katten satt på mattan i dag ."}, "a", "g1"), Example("2", {"text": "Hunden sover ute."}, "b", "g2")]
    test = [
        Example("3", {"text": "katten satt på MATTAN i dag!"}, "a", "g1"),
        Example("4", {"text": "Katten satt på mattan i dag också"}, "b", "g9"),
    ]
    leaks = {leak.what: leak for leak in find_leaks(KINDS["classification"], {"train": train, "test": test})}
    assert (leaks["item"].copies, leaks["item"].near, leaks["group"].copies) == (1, 2, 1)


KNOWN = {
    "basqueglue/intent": [("item", "val", 358, 490), ("item", "test", 65, None)],
    "basqueglue/bhtc": [("item", "val", 49, None), ("item", "test", 48, None)],
    "superlim/argumentation-sentences": [("text", "dev", 622, None), ("text", "test", 1, None)],
    "superlim/sweanalogy": [("word pair", "test", 18563, None)],
    "russian-superglue/TERRa": [("text", "val", 206, None), ("text", "test", 2150, None)],
}


@pytest.mark.parametrize("task", KNOWN)
def test_known_leaks_of_published_sets_are_found(real_data: Path, capsys: pytest.CaptureFixture[str], task: str) -> None:
    assert main(["data", "check", "--artefacts", task, "--json"]) == 0
    (report,) = json.loads(capsys.readouterr().out)["tasks"]
    found = {(leak["what"], leak["split"]): leak for leak in report["leaks"] if leak["known"] == "train"}
    for what, split, copies, near in KNOWN[task]:
        assert found[what, split]["copies"] == copies
        assert near is None or found[what, split]["near"] == near


def test_report_and_page_show_that_overlap_predicts_the_labels_of_a_published_set(
    real_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["data", "check", "--artefacts", "basqueglue/qnli", "--out", str(tmp_path / "page.html")]) == 0
    out = capsys.readouterr().out
    (line,) = [line for line in out.splitlines() if line.startswith("overlap")]
    assert line.split()[1] == "0.706"
    assert line.endswith("tells")
    assert "0.706" in (tmp_path / "page.html").read_text("utf-8")


def test_report_is_cached_until_a_file_the_declaration_or_the_cache_changes(own_cache: Path, tmp_path: Path) -> None:
    task = load_suite("pocket").tasks["idioms-da"]
    data, asked = tmp_path / "test.jsonl", []
    data.write_text("{}\n")

    def make() -> TaskArtefacts:
        asked.append(None)
        return TaskArtefacts(task.path, task.title, {}, {"test": len(asked)}, [Artefact("longest", 0.5, 0.4, 0.6, 0.25)], [])

    def kept(declared: Task = task) -> int:
        found = cached_report(declared, [data], TaskArtefacts, make)
        assert found.artefacts[0].rule == "longest"
        return found.duplicates["test"]

    assert [kept(), kept()] == [1, 1]
    data.write_text("{} \n")
    assert [kept(), kept(), kept(replace(task, labels=["a"]))] == [2, 2, 3]
    for path in (own_cache / "artefacts").iterdir():
        path.write_text('{"task": 1')
    assert [kept(), kept()] == [4, 4]
