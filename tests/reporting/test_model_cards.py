"""A model's card: scores with intervals and the command, the rest untouched, nothing private, nothing partial."""

import json
from pathlib import Path

import pytest
import yaml

from gluepot.cli import main


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


def test_a_card_gets_the_scores_their_intervals_and_the_command_and_keeps_the_rest(run: Path, tmp_path: Path) -> None:
    card = tmp_path / "README.md"
    card.write_text("---\nlicense: apache-2.0\nlanguage: sv\n---\n\n# Mine\n\nWords of my own.\n")
    for _ in range(2):  # the second time in place of the first
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


def test_without_a_place_the_models_own_folder_is_meant_and_one_that_has_none_is_told(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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


def test_the_hub_is_touched_only_if_it_is_named(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[dict] = []
    monkeypatch.setattr("huggingface_hub.HfApi.upload_file", lambda self, **what: sent.append(what))
    monkeypatch.setattr("huggingface_hub.ModelCard.load", lambda name: "---\nlicense: mit\n---\n\n# There\n")
    assert main(["push", str(run), "--to", str(tmp_path / "README.md")]) == 0
    assert sent == []
    assert main(["push", str(run), "--hub", "org/model"]) == 0
    assert sent[0]["repo_id"] == "org/model"
    assert "license: mit" in sent[0]["path_or_fileobj"].decode()
