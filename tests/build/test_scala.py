"""`scala` on synthetic sentences, and row by row on real treebanks where available."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluepot.build.corruption import PROTECTED, PROTECTED_2022, TaggedTokens, corrupt, corruptions, join_by_rules, partners
from gluepot.build.maker import MAKERS
from gluepot.build.production import BuildRequest, BuiltTask, build
from gluepot.build.reading.conllu import read_conllu
from gluepot.build.workbench import Workbench
from gluepot.cli import main
from gluepot.errors import WrongUse

TREEBANKS = {
    "da": (["ud-danish-ddt/da_ddt-from-dane"], [5512, 5501, 4953, 4599, 4160, 3823, 3823, 3823], (1024, 256, 2048)),
    "el": (
        ["ud-greek-gud/el_gud-ud-train", "ud-greek-gud/el_gud-ud-test"],
        [1807, 1807, 1639, 1401, 1401, 947, 947, 947],
        (1024, 256, 512),
    ),
    "sq": (
        [f"ud-albanian/sq_{name}" for name in ("staf-ud-train", "staf-ud-dev", "staf-ud-test", "tsa-ud-test")],
        [260, 259, 231, 216, 216, 201, 201, 201],
        (128, 64, 210),
    ),
    "eu": (["ud-basque-bdt/eu_bdt-ud-dev"], [1798, 1797, 1676, 1356, 1295, 1239, 1239, 1239], (1024, 256, 1024)),
    "de": (["ud-german-gsd/de_gsd-ud-dev"], [799, 799, 754, 708, 708, 649, 649, 649], (128, 64, 1106)),
}


def build_scala(inputs: list[Path], place: Path, **options: str) -> BuiltTask:
    settings = {"rules": "today", "join": "space-after", "sizes": "", **options}
    return build(BuildRequest(MAKERS["scala"], inputs, place, settings, 4242, licence="CC-BY-SA-4.0"))


def read_rows(place: Path, split: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (place.parent / "data" / place.name / f"{split}.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("language", TREEBANKS)
def test_counts_rows_and_texts_of_real_treebanks(corpora: Path, tmp_path: Path, language: str) -> None:
    names, left, sizes = TREEBANKS[language]
    inputs = [corpora / f"{name}.conllu" for name in names]
    place = tmp_path / language / "scala"
    built = build_scala(inputs, place)
    assert [step["left"] for step in built.filters[: len(left)]] == left
    assert tuple(split["rows"] for split in built.splits.values()) == sizes
    bench = Workbench(inputs, {}, 0)
    sentences = [sentence for path in inputs for sentence in read_conllu(bench, path)]
    assert all(sentence.surface_text() == sentence.comments["text"] for sentence in sentences)
    texts = {sentence.text for sentence in sentences}
    for split in built.splits:
        rows = read_rows(place, split)
        assert all((row["text"] in texts) == (row["target"] == "correct") for row in rows)
        assert sum(row["target"] == "correct" for row in rows) * 2 == len(rows)


@pytest.mark.parametrize("language", ["el", "sq"])
def test_documented_rows_are_reproduced_at_their_positions(corpora: Path, tmp_path: Path, language: str) -> None:
    inputs = [corpora / f"{name}.conllu" for name in TREEBANKS[language][0]]
    build_scala(inputs, tmp_path / "suite" / "scala", join="rules")
    rows = read_rows(tmp_path / "suite" / "scala", "train")
    for line in (inputs[0].parent / "published-train-rows.jsonl").read_text("utf-8").splitlines():
        documented = json.loads(line)
        row = rows[documented["row"]]
        assert (row["text"], row["target"]) == (documented["text"], documented["label"])


def test_every_published_danish_corruption_is_reachable(corpora: Path, real_data: Path) -> None:
    bench = Workbench([], {}, 0)
    correct, wrong = set(), set()
    for path in (real_data / "scandeval-da" / "scala-2022").glob("*.jsonl"):
        for row in map(json.loads, path.read_text("utf-8").splitlines()):
            (correct if row["label"] == "correct" else wrong).add(row["text"])
    found = {}
    for sentence in read_conllu(bench, corpora / "ud-danish-ddt" / "da_ddt-from-dane.conllu"):
        tokens = TaggedTokens(sentence.forms, sentence.tags)
        if tokens.text() in correct:
            found |= {text: way for text, way in corruptions(tokens, PROTECTED_2022) if text in wrong}
    assert len(correct) == len(wrong) == len(found) == 896
    assert sum(way == "delete" for way in found.values()) == 450


TAGS = ("NOUN", "VERB", "PRON", "AUX", "ADP", "DET", "PUNCT", "ADV", "PART")
SENTENCES = st.lists(
    st.tuples(st.sampled_from(["hon", "Och", "ser", "katten", ".", "inte"]), st.sampled_from(TAGS), st.booleans()), min_size=1
)


@given(SENTENCES, st.integers(0, 99))
def test_corruption_is_a_possible_one_and_not_a_taken_text(tokens: list[tuple[str, str, bool]], seed: int) -> None:
    forms, tags, glued = zip(*tokens, strict=True)
    for sentence in (TaggedTokens(forms, tags, glued), TaggedTokens(forms, tags)):
        possible = list(corruptions(sentence, PROTECTED))
        taken = {sentence.text(), *(text for text, _ in possible[::2])}
        found = corrupt(sentence, PROTECTED, taken, random.Random(seed))
        assert found in possible and found[0] not in taken if found else all(text in taken for text, _ in possible)


def test_joining_matches_sequential_replacements() -> None:
    rng = random.Random(0)
    for _ in range(2000):
        forms = rng.choices([*'.,;:)]}?!([{"', "ord", "a"], k=rng.randint(1, 9))
        text = " ".join(forms)
        for sign in (" .", " ,", " ;", " :", "( ", " )", "[ ", " ]", "{ ", " }", " ?", " !"):
            text = text.replace(sign, sign.strip())
        assert text.count('"') or join_by_rules(forms) == text


def test_a_pronoun_before_an_auxiliary_flips_with_the_word_before_it() -> None:
    assert partners(("ADV", "PRON", "AUX", "VERB"), 1) == (0,)


def test_an_elided_article_that_is_flipped_is_not_glued_to_its_noun() -> None:
    sentence = TaggedTokens(["Elle", "aime", "l'", "homme"], ["PRON", "VERB", "DET", "NOUN"], [False, False, True, False])
    assert "Elle aime homme l'" in {text for text, _ in corruptions(sentence, PROTECTED)}


def test_words_without_spaces_are_joined_without_spaces() -> None:
    sentence = TaggedTokens(["他", "买", "书", "。"], ["PRON", "VERB", "NOUN", "PUNCT"], [True] * 4)
    assert {text for text, _ in corruptions(sentence, PROTECTED)} == {"买书。", "他书。", "他买。", "买他书。", "他书买。"}


def conllu(words: str, tags: str, text: str = "") -> str:
    lines = [
        f"{n}\t{form}\t{form}\t{tag}\t_\t_\t0\t_\t_\t_" for n, (form, tag) in enumerate(zip(words.split(), tags.split(), strict=True), 1)
    ]
    return "\n".join([*([f"# text = {text}"] if text else []), *lines]) + "\n\n"


def some_sentences(count: int) -> str:
    """Return distinct CoNLL-U sentences without `# text` comments."""
    tags = "PRON VERB DET NOUN ADP PROPN PUNCT"
    return "".join(conllu(f"Hon{n} såg{n} en katt{n} i Lund{n} .", tags) for n in range(count))


def test_builds_from_a_single_treebank_without_text_comments(tmp_path: Path) -> None:
    (tmp_path / "one.conllu").write_text(some_sentences(120), "utf-8")
    built = build_scala([tmp_path / "one.conllu"], tmp_path / "suite" / "scala")
    assert {split: size["rows"] for split, size in built.splits.items()} == {"train": 128, "dev": 64, "test": 48}


def test_two_builds_give_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "one.conllu").write_text(some_sentences(100), "utf-8")
    for name in ("a", "b"):
        build_scala([tmp_path / "one.conllu"], tmp_path / name / "scala")
    for file in ("data/scala/train.jsonl", "data/scala/test.jsonl", "scala/task.toml"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_range_tokens_replace_their_words_and_empty_nodes_have_no_text(tmp_path: Path) -> None:
    lines = [
        "# text = Im Haus",
        "1-2\tIm\t_\t_\t_\t_\t_\t_\t_\t_",
        "1\tIn\tin\tADP\t_\t_\t0\t_\t_\t_",
        "2\tdem\tder\tDET\t_\t_\t0\t_\t_\t_",
    ]
    lines += ["2.1\tx\tx\tVERB\t_\t_\t0\t_\t_\t_", "3\tHaus\tHaus\tNOUN\t_\t_\t0\t_\t_\t_", "3.1\ty\ty\tVERB\t_\t_\t_\t_\t_\t_"]
    (tmp_path / "a.conllu").write_text("\n".join(lines) + "\n", "utf-8")
    (sentence,) = read_conllu(Workbench([], {}, 0), tmp_path / "a.conllu")
    assert sentence.surface_text() == sentence.text == "Im Haus"
    assert [sentence.first_tag(place) for place in sentence.surface()] == ["ADP", "NOUN"]


def test_reports_all_input_faults_and_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "bad.conllu").write_text(some_sentences(2) + "1\tonly three\tcells\n\nno line\n", "utf-8")
    with pytest.raises(WrongUse, match=r"(?s)2 faults.*bad\.conllu:17: 3 columns.*bad\.conllu:19: no line"):
        build_scala([tmp_path / "bad.conllu"], tmp_path / "suite" / "scala")
    assert not (tmp_path / "suite").exists()


def test_json_document_has_the_documented_fields(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "xx_one-ud-train.conllu").write_text(some_sentences(100), "utf-8")
    (tmp_path / "README.md").write_text("License: CC BY-NC-SA 4.0\n", "utf-8")
    assert (
        main(["build", "scala", str(tmp_path / "xx_one-ud-train.conllu"), "--to", str(tmp_path / "s" / "scala"), "--json", "--dry-run"])
        == 0
    )
    document = json.loads(capsys.readouterr().out)
    assert list(document) == ["task", "files", "splits", "filters", "artefacts", "seed", "licence"]
    assert document["splits"]["train"] == {"rows": 128, "labels": {"correct": 64, "incorrect": 64}}
    assert document["filters"][0] == {"name": "sentences", "left": 100}
    assert set(document["artefacts"][0]) == {"rule", "accuracy", "low", "high", "chance"}
    assert document["licence"] == "CC-BY-NC-SA-4.0"
    assert document["seed"] == 4242
    assert document["files"] == []
    assert not (tmp_path / "s").exists()
