"""Training of word vectors: related words are near, training is reproducible and resumable, and the vectors beat chance."""

import gzip
import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gensim", reason="needs gensim: pip install 'gluepot[vectors]'")

from gluepot.cli import main
from gluepot.data.examples import load_examples
from gluepot.errors import DataMissing, GluepotError, WrongUse
from gluepot.models.embeddings import open_embeddings
from gluepot.models.embeddings.averages import tokens
from gluepot.models.embeddings.training import corpus as corpus_module
from gluepot.models.embeddings.training import glove, predictive, train_vectors
from gluepot.models.embeddings.training.cooccurrences import count_pairs
from gluepot.models.embeddings.training.corpus import tokenize
from gluepot.models.embeddings.training.recipe import VectorRecipe
from gluepot.records import Example
from gluepot.tasks.declarations import load_suite

ANIMALS, TOOLS = ("hund", "katt", "häst", "räv", "björn"), ("hammare", "såg", "spik", "borr", "tång")
MODELS = ("word2vec", "fasttext", "glove")
STEMS = {"djur": ("hund", "katt", "häst", "räv", "björn"), "verk": ("hammar", "såg", "spik", "borr", "tång")}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Corpus in which animals and tools occur with different words."""
    rng = np.random.default_rng(0)
    own = {ANIMALS: ("springer", "skogen", "äter", "sover"), TOOLS: ("ligger", "boden", "rostar", "slår")}
    lines = []
    for _ in range(3000):
        names = ANIMALS if rng.random() < 0.5 else TOOLS
        lines.append(" ".join(rng.permutation([*rng.choice(names, 2), *rng.choice(own[names], 2), "och", "en"])))
    path = tmp_path_factory.mktemp("corpus") / "texts.txt"
    path.write_text("\n".join(lines).capitalize() + "\n")
    return path


def recipe(model: str, **more: object) -> VectorRecipe:
    return VectorRecipe(**{"model": model, "dimensions": 16, "epochs": 4, "buckets": 2000, "skip_gram": True, **more})


def train(model: str, corpus: Path, to: Path, **more: object) -> bytes:
    train_vectors(recipe(model, **more), [str(corpus)], to, lambda line: None)
    return to.read_bytes()


def likeness(path: Path, one: str, other: str) -> float:
    vectors = open_embeddings(path)
    a, b = vectors.vector(one), vectors.vector(other)
    assert a is not None
    assert b is not None
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


@pytest.mark.parametrize("model", MODELS)
def test_related_words_are_nearest_and_training_is_bit_reproducible(model: str, corpus: Path, tmp_path: Path) -> None:
    first = train(model, corpus, tmp_path / "one.bin", epochs=20)
    for word in (*ANIMALS, *TOOLS):
        nearest = max(
            (other for other in (*ANIMALS, *TOOLS) if other != word), key=lambda other: likeness(tmp_path / "one.bin", word, other)
        )
        assert (nearest in ANIMALS) == (word in ANIMALS)
    assert train(model, corpus, tmp_path / "two.bin", epochs=20) == first
    manifest = json.loads((tmp_path / "one.bin.json").read_text())
    assert manifest["corpus"]["tokens"] == 18000
    assert manifest["recipe"]["model"] == model
    assert str(corpus.parent) not in json.dumps(manifest["corpus"]), "nothing is told of the folders here"
    assert manifest["words"] == 20
    assert not (tmp_path / "one.bin.work").exists()


@pytest.mark.parametrize("model", MODELS)
def test_interrupted_training_resumes_to_the_same_vectors(
    model: str, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = train(model, corpus, tmp_path / "whole.bin")
    said: list[str] = []

    def stop(line: str) -> None:
        said.append(line)
        if line.startswith("epoch 2"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_vectors(recipe(model), [str(corpus)], tmp_path / "again.bin", stop)
    with pytest.raises(WrongUse, match="another recipe"):
        train_vectors(recipe(model, seed=7), [str(corpus)], tmp_path / "again.bin", said.append)
    said.clear()
    train_vectors(recipe(model), [str(corpus)], tmp_path / "again.bin", said.append)
    assert [line.partition(":")[0] for line in said if line.startswith("epoch")] == ["epoch 3 of 4", "epoch 4 of 4"]
    assert (tmp_path / "again.bin").read_bytes() == whole


@pytest.mark.parametrize("model", MODELS)
def test_training_resumes_only_with_the_same_texts(model: str, corpus: Path, tmp_path: Path) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text(corpus.read_text())

    def stop(line: str) -> None:
        if line.startswith("epoch 2"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_vectors(recipe(model), [str(texts)], tmp_path / "own.bin", stop)
    texts.write_text(corpus.read_text().replace("skogen", "havet"))
    with pytest.raises(WrongUse, match="on other texts was begun"):
        train_vectors(recipe(model), [str(texts)], tmp_path / "own.bin", lambda line: None)
    texts.write_text(corpus.read_text())
    train_vectors(recipe(model), [str(texts)], tmp_path / "own.bin", lambda line: None)
    assert (tmp_path / "own.bin").read_bytes() == train(model, corpus, tmp_path / "whole.bin")


@pytest.mark.parametrize("model", MODELS)
def test_failed_start_does_not_block_another_recipe(model: str, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    to = tmp_path / "own.bin"
    (tmp_path / "latin.txt").write_bytes("häst\n".encode("latin-1"))
    failed = [({}, "nowhere.txt", DataMissing), ({"seed": 1}, str(tmp_path / "latin.txt"), GluepotError)]
    failed.append(({"min_count": 10**5}, str(corpus), GluepotError))
    for more, place, error in failed:
        with pytest.raises(error):
            train_vectors(recipe(model, **more), [place], to, lambda line: None)
    with monkeypatch.context() as patch:  # the process ends after pairs are counted with another window
        patch.setattr(glove.GloveNet, "run_epoch", lambda *words: interrupt("now", "now"))
        patch.setattr(predictive, "run_epoch", lambda *words: interrupt("now", "now"))
        with pytest.raises(KeyboardInterrupt):
            train_vectors(recipe(model, window=2), [str(corpus)], to, lambda line: None)
    assert train(model, corpus, to) == train(model, corpus, tmp_path / "whole.bin")


def interrupt(line: str, word: str) -> None:
    if word in line:
        raise KeyboardInterrupt


def test_output_in_the_corpus_folder_is_not_part_of_the_corpus(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "texts.txt").write_text(corpus.read_text())
    with pytest.raises(KeyboardInterrupt):
        train_vectors(recipe("glove"), [str(tmp_path)], tmp_path / "own.bin", lambda line: interrupt(line, "epoch 2"))
    train_vectors(recipe("glove"), [str(tmp_path)], tmp_path / "own.bin", lambda line: None)
    manifest = json.loads((tmp_path / "own.bin.json").read_text())
    assert manifest["corpus"]["texts"] == ["texts.txt"]


def test_words_retain_combining_marks_and_long_lines_are_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (tmp_path / "texts.txt").write_bytes("\ufeffPa\u030a हिन्दी नमस्ते, på İstanbul".encode())
    found = tokenize([str(tmp_path / "texts.txt")], work, cased=False, say=lambda line: None)
    assert found.path(work).read_text() == "på हिन्दी नमस्ते på i\u0307stanbul\n"
    assert tokens("Pa\u030a हिन्दी!") == ["På", "हिन्दी"]
    monkeypatch.setattr(corpus_module, "PIECE", 7)
    (tmp_path / "texts.txt").write_text("en två tre fyra\nfem sexton\nsju åtta-nio")
    again = tokenize([str(tmp_path / "texts.txt")], work, cased=False, say=lambda line: None)
    assert again.path(work).read_text().split() == ["en", "två", "tre", "fyra", "fem", "sexton", "sju", "åtta-nio"]


def test_broken_gzip_file_is_reported(tmp_path: Path) -> None:
    whole = gzip.compress("en häst\n".encode() * 5000)
    work = tmp_path / "work"
    work.mkdir()
    for broken in (whole[:-20], whole[:30] + b"\xff\xff\xff" + whole[33:]):
        (tmp_path / "texts.gz").write_bytes(broken)
        with pytest.raises(GluepotError, match="the gzip file is broken"):
            tokenize([str(tmp_path / "texts.gz")], work, cased=False, say=lambda line: None)


def test_epochs_follow_the_learning_rate_schedule_of_gensim(corpus: Path, tmp_path: Path) -> None:
    """Epochs run one by one at the rates of gensim's schedule: the same words and work as in its own loop, except between epochs."""
    from gensim.models import Word2Vec

    calls: list[dict[str, float]] = []

    class Model:
        corpus_total_words, corpus_count = 18000, 3000

        def train(self, **settings: float) -> None:
            calls.append(settings)

    for epoch in range(4):
        predictive.run_epoch(Model(), recipe("word2vec"), corpus, epoch)
    gensim = Word2Vec(epochs=4)
    rates = [(gensim.alpha - (gensim.alpha - gensim.min_alpha) * epoch / 4) for epoch in range(5)]
    assert [call["start_alpha"] for call in calls] == pytest.approx(rates[:4])
    assert [call["end_alpha"] for call in calls] == pytest.approx(rates[1:])


def test_file_folder_with_gzip_and_standard_input_give_the_same_corpus(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = corpus.read_bytes()
    lines = text.splitlines(keepends=True)
    folder = tmp_path / "folder" / "below"
    folder.mkdir(parents=True)
    (folder / "a.txt").write_bytes(b"".join(lines[:1000]))
    (folder / "b.txt.gz").write_bytes(gzip.compress(b"".join(lines[1000:])))
    (folder / ".hidden").write_text("not this\n")
    found = {}
    for name, place in (("file", str(corpus)), ("folder", str(tmp_path / "folder")), ("stdin", "-")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        words = ["vectors", "train", place, "--to", str(tmp_path / f"{name}.bin"), "--epochs", "1", "--dimensions", "8", "--json"]
        assert main(words) == 0
        found[name] = json.loads(capsys.readouterr().out)["corpus"]["fingerprint"]
    assert len(set(found.values())) == 1


@pytest.mark.parametrize(
    ("words", "said", "code"),
    [
        (["nowhere.txt"], "no such file or folder of texts", 3),
        (["{corpus}", "--min-count", "100000"], "no word comes 100000 times", 1),
        (["{corpus}", "--subwords", "6-3"], "as 3-6", 2),
        (["{corpus}", "--model", "fasttext", "--buckets", "99999999", "--dimensions", "300"], "Take fewer --buckets", 2),
        (["{corpus}", "--model", "glove", "--skip-gram"], "glove takes no --skip-gram: it is for word2vec and fasttext", 2),
        (["{corpus}", "--subwords", "2-4"], "word2vec takes no --subwords: it is for fasttext", 2),
        (["{corpus}", "--buckets", "5"], "word2vec takes no --buckets", 2),
        (["{latin}"], "is not text in UTF-8", 1),
    ],
)
def test_invalid_arguments_and_texts_are_reported(
    words: list[str], said: str, code: int, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "latin.txt").write_bytes("häst\n".encode("latin-1"))
    line = [word.format(corpus=corpus, latin=tmp_path / "latin.txt") for word in words]
    try:
        ended = main(["vectors", "train", *line, "--to", str(tmp_path / "x.bin")])
    except SystemExit as left:
        ended = int(str(left.code))
    assert ended == code
    assert said in capsys.readouterr().err
    assert not (tmp_path / "x.bin").exists()


def test_pairs_that_exceed_the_memory_are_dropped_and_reported() -> None:
    said: list[str] = []
    rng = np.random.default_rng(0)
    sentences = [rng.integers(0, 500, 50) for _ in range(200)]
    few = count_pairs(sentences, 500, 5, 1e-3, said.append)
    assert len(few.values) < len(count_pairs(sentences, 500, 5, 1.0, lambda line: None).values)
    assert "left out for want of memory" in said[0]
    with pytest.raises(GluepotError, match="--buckets"):
        VectorRecipe(model="fasttext", memory=0.1).most_words


def test_trained_vectors_beat_random_ones_and_fasttext_covers_more_pairs(tmp_path: Path) -> None:
    """Claims of `make bench` on a real corpus and SuperSim, on a synthetic corpus of animals and tools, with forms that never occur."""
    from benchmarks.trained_vectors import judge_pairs, train_all

    rng = np.random.default_rng(0)
    names = {kind: [f"{start}{end}" for start in starts for end in ("are", "ing", "het")] for kind, starts in STEMS.items()}
    own = {kind: [f"{kind}{number}" for number in range(6)] for kind in STEMS}
    lines = []
    for _ in range(2500):
        kind = str(rng.choice(list(STEMS)))
        lines.append(" ".join(rng.permutation([*rng.choice(names[kind], 3), *rng.choice(own[kind], 3), "och"])))
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("\n".join(lines))
    recipes = {model: recipe(model, epochs=60 if model == "glove" else 10, min_count=2) for model in MODELS}
    pairs = [(one, other) for kind in STEMS for one in names[kind] for other in (*names["djur"][:8], *names["verk"][:8]) if one != other]
    pairs += [(f"{start}erna", names[kind][0]) for kind, starts in STEMS.items() for start in starts]  # a form that never occurs
    of = {word: kind for kind, words in names.items() for word in (*words, *(f"{start}erna" for start in STEMS[kind]))}
    items = [Example(str(n), {"first": a, "second": b}, 5.0 if of[a] == of[b] else 0.0) for n, (a, b) in enumerate(pairs)]
    task = load_suite("supersim").tasks["similarity"]
    found = {name: judge_pairs(task, items, name, file) for name, file in train_all(corpus, tmp_path, recipes).items()}
    assert found["fasttext"].answered == len(items) > found["word2vec"].answered == found["glove"].answered
    assert all(found[model].low > found["random"].high for model in MODELS), found


def test_the_corpus_has_every_text_once_training_texts_first_and_no_answers(tmp_path: Path) -> None:
    from benchmarks.trained_vectors import write_corpus

    found = write_corpus(tmp_path / "corpus.txt", ["pocket"])
    lines = (tmp_path / "corpus.txt").read_text().splitlines()
    stance = load_suite("pocket").tasks["stance-sv"]
    places = {split: lines.index(load_examples(stance, split)[0].inputs["text"]) for split in ("train", "dev", "test")}
    assert places["train"] < places["dev"] < places["test"]
    assert len(lines) == len(set(lines))
    assert not set(stance.labels) & set(lines)
    assert found.size == (tmp_path / "corpus.txt").stat().st_size == sum(found.bytes.values())
    assert {split for split, _ in found.bytes} == {"train", "dev", "test"}
    assert {"sv", "ru"} <= {language for _, language in found.bytes}
