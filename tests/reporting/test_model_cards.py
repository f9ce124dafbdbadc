"""Model cards: scores with intervals and the command; other content is preserved, private paths and partial runs are excluded."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from huggingface_hub.errors import LocalEntryNotFoundError

import gluepot
from gluepot.cli import main

POCKET = Path(gluepot.__file__).parent / "suites" / "pocket"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("cards")
    (place / "secret-folder").mkdir()
    vectors = place / "secret-folder" / "own.vec"
    vectors.write_text("3 2\nhund 1.0 0.5\nkatt 0.5 1.0\nbra 0.1 0.9\n")
    with pytest.MonkeyPatch.context() as patch:
        words = ["evaluate", f"vectors:{vectors}", "pocket/stance-sv", "pocket/paraphrase-sv", "--out", str(place / "run")]
        patch.setattr("sys.argv", ["gluepot", *words])
        assert main(words) == 0
    return place / "run"


def metadata(card: Path) -> dict:
    found = yaml.safe_load(card.read_text().split("---")[1])
    assert isinstance(found, dict)
    return found


def test_a_card_gets_scores_intervals_and_command_and_keeps_other_content(run: Path, tmp_path: Path) -> None:
    card = tmp_path / "README.md"
    card.write_text("---\nlicense: apache-2.0\nlanguage: sv\n---\n\n# Mine\n\nWords of my own.\n")
    for _ in range(2):  # the second push replaces the first
        assert main(["push", str(run), "--to", str(card)]) == 0
    found, text = metadata(card), card.read_text()
    assert found["license"] == "apache-2.0"
    assert "Words of my own." in text
    assert text.count("## Results on pocket") == 1
    results = found["model-index"][0]["results"]
    scores = {(row["dataset"]["config"], metric["type"]): metric for row in results for metric in row["metrics"]}
    stored = {
        (row["task"], row["metric"]): row for row in json.loads((run / "scores.json").read_text())["scores"] if row["value"] is not None
    }
    assert {key: metric["value"] for key, metric in scores.items()} == {
        key: pytest.approx(row["value"], abs=1e-6) for key, row in stored.items()
    }
    first = scores["stance-sv", "alpha-nominal"]
    row = stored["stance-sv", "alpha-nominal"]
    assert first["args"]["interval_95"] == pytest.approx([row["low"], row["high"]], abs=1e-5)
    assert first["args"]["command"] == "gluepot evaluate vectors:own.vec pocket/stance-sv pocket/paraphrase-sv"
    assert "secret-folder" not in text


def test_the_command_of_an_ensemble_names_every_run(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["evaluate", f"ensemble:{run},{run}", "pocket/stance-sv", "--out", str(tmp_path / "joined")]
    monkeypatch.setattr("sys.argv", ["gluepot", *words])
    assert main(words) == 0
    assert main(["push", str(tmp_path / "joined"), "--to", str(tmp_path / "README.md")]) == 0
    assert "gluepot evaluate ensemble:run,run pocket/stance-sv" in (tmp_path / "README.md").read_text()


CARD = """---
# a comment of mine
language: no  # Norwegian, and no truth value
version: 1.10
tags: [a, b]
model-index:
- name: other
  results:
  - {task: {type: text-classification}, dataset: {name: X, type: x/y}, metrics: [{type: accuracy, value: 0.5}]}
# about the licence
license: "mit"
---

# Mine

Words of my own, and a rule:

---
"""


@pytest.mark.parametrize("lines", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_other_lines_of_a_card_are_unchanged(run: Path, tmp_path: Path, lines: str, mark: str) -> None:
    card = tmp_path / "README.md"
    card.write_bytes((mark + CARD.replace("\n", lines)).encode())
    assert main(["push", str(run), "--to", str(card)]) == 0
    once = card.read_bytes()
    text = once.decode()
    assert text.startswith(mark + CARD[: CARD.index("- name")].replace("\n", lines))
    assert f"\n{CARD[CARD.index('# about') :]}".replace("\n", lines).rstrip() in text
    assert text.count("\r\n") == (text.count("\n") if lines == "\r\n" else 0)
    index = yaml.safe_load(text.removeprefix("\ufeff").split("---")[1])["model-index"]
    assert (index[0]["name"], index[0]["results"][0]["dataset"]["name"], len(index)) == ("other", "X", 1)
    assert main(["push", str(run), "--to", str(card)]) == 0
    assert card.read_bytes() == once


@pytest.mark.parametrize(
    ("card", "sentence"),
    [
        (b"---\nlicense: mit\n---\n# \xe5\n", "line 4 is no UTF-8"),
        (b"---\n- a\n---\n", "it is not a list of keys and values"),
        (b"---\nmodel-index: text\n---\n", "no list of models with their results"),
        (b"---\n{license: mit}\n---\n", "cannot be read"),
    ],
)
def test_a_malformed_card_is_left_unchanged(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], card: bytes, sentence: str
) -> None:
    (tmp_path / "README.md").write_bytes(card)
    assert main(["push", str(run), "--to", str(tmp_path)]) == 1
    assert sentence in " ".join(capsys.readouterr().err.split())
    assert (tmp_path / "README.md").read_bytes() == card


@pytest.mark.parametrize("before", ["", "# Only text\n\n---\n\nafter a rule\n", "---\n---\n# Empty\n"])
def test_a_card_without_metadata_gets_only_the_model_index(
    run: Path, tmp_path: Path, before: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "README.md").write_text(before)
    assert main(["push", str(run), "--to", str(tmp_path)]) == 0
    assert capsys.readouterr().err == ""
    assert metadata(tmp_path / "README.md").keys() == {"model-index"}
    assert before.strip("-\n") in (tmp_path / "README.md").read_text()
    assert (tmp_path / "README.md").read_text().count("# vectors:own.vec") == (not before)


def test_runs_on_other_tasks_of_the_suite_share_one_table(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["evaluate", "majority", "pocket/idioms-da", "--suites", str(POCKET), "--out", str(tmp_path / "other")]
    monkeypatch.setattr("sys.argv", ["gluepot", *words])
    assert main(words) == 0
    for one in (run, tmp_path / "other", run):
        assert main(["push", str(one), "--to", str(tmp_path)]) == 0
    text = (tmp_path / "README.md").read_text()
    assert text.count("| idioms-da | test | mcc |") == text.count("| stance-sv | test | accuracy |") == 1
    assert "\n    gluepot evaluate majority pocket/idioms-da --suites pocket\n" in text
    assert str(POCKET) not in text


def test_a_destination_is_required_for_a_model_without_a_folder(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["push", str(run)]) == 2
    assert "name its README with --to" in capsys.readouterr().err
    assert main(["push", str(run), "--to", str(tmp_path), "--dry-run"]) == 0
    assert "model-index:" in capsys.readouterr().out
    assert not (tmp_path / "README.md").exists()
    assert main(["push", str(run), "--to", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["written"] == [str(tmp_path / "README.md")]


def test_partial_runs_and_broken_cards_are_refused(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "majority", "pocket/stance-sv", "--limit", "5", "--out", str(tmp_path / "few"), "--json"]) == 0
    assert main(["push", str(tmp_path / "few"), "--to", str(tmp_path / "README.md")]) == 2
    assert "a partial run is not published" in capsys.readouterr().err
    (tmp_path / "README.md").write_text("---\nmodel-index: [nonsense\n---\n")
    assert main(["push", str(run), "--to", str(tmp_path / "README.md")]) == 1
    assert "metadata cannot be read" in capsys.readouterr().err


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict]:
    """Uploads to a stubbed hub that already has a card."""
    sent: list[dict] = []
    (tmp_path / "theirs.md").write_text("---\nlicense: mit  # as it is there\n---\n\n# There\n")
    there = SimpleNamespace(sha="abc", siblings=[SimpleNamespace(rfilename="README.md")])
    monkeypatch.setattr("huggingface_hub.HfApi.model_info", lambda self, name, timeout: there)
    monkeypatch.setattr("huggingface_hub.HfApi.upload_file", lambda self, **what: sent.append(what))
    monkeypatch.setattr("huggingface_hub.hf_hub_download", lambda name, file, revision: str(tmp_path / "theirs.md"))
    return sent


def test_uploads_to_the_hub_only_on_request(run: Path, tmp_path: Path, hub: list[dict]) -> None:
    assert main(["push", str(run), "--to", str(tmp_path / "README.md")]) == 0
    assert hub == []
    assert main(["push", str(run), "--hub", "org/model"]) == 0
    assert (hub[0]["repo_id"], hub[0]["parent_commit"]) == ("org/model", "abc")
    assert "license: mit  # as it is there\n" in hub[0]["path_or_fileobj"].decode()


@pytest.mark.parametrize("call", ["HfApi.model_info", "hf_hub_download"])
def test_an_unreadable_card_on_the_hub_is_not_overwritten(
    call: str, run: Path, hub: list[dict], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*words: object, **more: object) -> None:
        raise LocalEntryNotFoundError("Name or service not known")

    monkeypatch.setattr(f"huggingface_hub.{call}", fail)
    assert main(["push", str(run), "--hub", "org/model"]) == 1
    assert "org/model: the hub did not take it: Name or service not known." in " ".join(capsys.readouterr().err.split())
    assert hub == []
