"""Embedding formats: each restores the words and vectors that were written, and invalid files raise one-line errors."""

import re
import struct
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluepot.errors import DataMissing, GluepotError, WrongUse
from gluepot.models import embeddings
from gluepot.models.embeddings.formats import fasttext, text
from gluepot.models.embeddings.formats.detection import detect
from gluepot.models.embeddings.formats.fasttext import FastText
from gluepot.models.embeddings.formats.subwords import buckets

WORDS = ["hus", "Åre", "fritt fall", "日本", "hus-båt"]
VECTORS = np.array([[1, 0, -0.5], [0.25, 2, 3], [1e-5, 7, -8], [-1, -1, -1], [0.1, 0.2, 0.3]], np.float32)
SENTENCES = [["katten", "sitter", "på", "mattan"], ["hunden", "sover", "på", "soffan"], ["катя", "日本語", "ö"]] * 20


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    embeddings._open.cache_clear()
    monkeypatch.setenv("GLUEPOT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "vectors"


def lines(words: list[str], vectors: np.ndarray) -> bytes:
    return b"".join(f"{word} {' '.join(map(repr, row.tolist()))}\n".encode() for word, row in zip(words, vectors, strict=True))


def word2vec_text(path: Path) -> Path:
    path.write_bytes(b"5 3\n" + lines(WORDS, VECTORS))
    return path


def glove(path: Path) -> Path:
    path.write_bytes(lines(WORDS, VECTORS))
    return path


def word2vec_binary(path: Path, ends: bytes = b"\n") -> Path:
    words = [word.replace(" ", "_").encode() for word in WORDS]
    path.write_bytes(b"5 3\n" + b"".join(w + b" " + row.tobytes() + ends for w, row in zip(words, VECTORS, strict=True)))
    return path


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small model in fastText's own format, written by gensim."""
    models = pytest.importorskip("gensim.models.fasttext")
    path = tmp_path_factory.mktemp("fasttext") / "tiny.bin"
    model = models.FastText(SENTENCES, vector_size=8, min_count=1, bucket=50, min_n=2, max_n=4, epochs=2, seed=1, workers=1)
    models.save_facebook_model(model, str(path))
    return path


@pytest.mark.parametrize("write", [word2vec_text, glove])
def test_text_formats_restore_vectors_and_words_with_spaces(write, tmp_path: Path) -> None:
    found = embeddings.open_embeddings(write(tmp_path / "vectors"))
    assert list(found.words) == WORDS
    assert (found.matrix == VECTORS).all()
    assert (found.vector("fritt fall") == VECTORS[2]).all()


@pytest.mark.parametrize("ends", [b"", b"\n"])
def test_binary_is_read_with_and_without_newlines(ends: bytes, tmp_path: Path) -> None:
    found = embeddings.open_embeddings(word2vec_binary(tmp_path / "vectors", ends))
    assert found.words[2] == "fritt_fall"
    assert (found.matrix == VECTORS).all()


def test_format_is_detected_by_content_not_by_name(tmp_path: Path, trained: Path) -> None:
    assert detect(word2vec_text(tmp_path / "a.bin")).name == "word2vec-text"
    assert detect(glove(tmp_path / "b.bin")).name == "glove"
    assert detect(word2vec_binary(tmp_path / "c.txt")).name == "word2vec-binary"
    assert detect(trained).name == "fasttext"


def test_word_lookup_is_exact_then_lower_cased(tmp_path: Path) -> None:
    found = embeddings.open_embeddings(glove(tmp_path / "vectors"))
    assert found.row("Hus") == 0
    assert found.row("Åre") == 1
    assert found.row("åre") is None
    assert found.vector("okänt") is None


def test_the_first_of_two_equal_words_wins(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_bytes(b"hus 1 2\nbil 3 4\nhus 5 6\n")
    found = embeddings.open_embeddings(tmp_path / "v.txt")
    assert found.words == ["hus", "bil"]
    assert found.matrix.tolist() == [[1, 2], [3, 4]]


def test_broken_encoding_odd_spaces_and_odd_numbers_are_tolerated(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_bytes(b"3 2\nbl\xe5 .5 +1 \r\nhus\t1\t2\n 3 1e-3\n")
    found = embeddings.open_embeddings(tmp_path / "v.txt")
    assert found.words == ["bl\N{REPLACEMENT CHARACTER}", "hus", ""]
    assert np.allclose(found.matrix, [[0.5, 1], [1, 2], [3, 1e-3]])


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1))
def test_numbers_are_read_as_python_reads_them(values: list[float]) -> None:
    read = text.read_numbers(" ".join(map(repr, values)).encode())
    assert read is not None
    assert read.tolist() == values


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "no word vectors known here"),
        (b"%PDF-1.7 and other things\nlike this one here\n", "no word vectors known here"),
        (b"\x1f\x8bgzip", "gunzip v.vec"),
        (b"3 2\nhus 1 2\nbil 3 4\n", "ends 1 word before the 3 of its first line"),
        (b"3 2\n", "ends 3 words before"),
        (b"2 3\nhus 1 2 3\nbil 1 2\n", "line 3: 2 numbers where 3 are expected"),
        (b"hus 1 2 3\nbil 1 2 3\nby 1 2\n", "line 3: 2 numbers where 3 are expected"),
        (b"hus 1 2 3\nbil 1 x 3\n", "line 2: not 3 numbers"),
        (b"hus 1 2 3\nbil 1 nan 3\n", "line 2: not 3 numbers"),
        (b"2 2\nhus " + struct.pack("<2f", 1, 2) + b"bil " + b"\0\0\0", "breaks off after 1 of 2 words"),
        (b"1 2\nhus " + struct.pack("<2f", 1, float("nan")), "NaN"),
    ],
)
def test_invalid_file_is_a_one_line_error_and_not_cached(content: bytes, says: str, tmp_path: Path, own_cache: Path) -> None:
    (tmp_path / "v.vec").write_bytes(content)
    with pytest.raises(WrongUse, match=re.escape(says)) as caught:
        embeddings.open_embeddings(tmp_path / "v.vec")
    assert str(caught.value).startswith("v.vec")
    assert "\n" not in str(caught.value)
    assert not list(own_cache.glob("*"))


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataMissing, match="no such file"):
        embeddings.open_embeddings(tmp_path / "none.vec")
    with pytest.raises(WrongUse, match="not a folder"):
        embeddings.open_embeddings(tmp_path)


def test_text_is_converted_once_and_again_when_it_changes(tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = glove(tmp_path / "v.txt")
    embeddings.open_embeddings(path)
    (entry,) = own_cache.iterdir()
    embeddings._open.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(text, "read_blocks", None)
        assert isinstance(embeddings.open_embeddings(path).matrix.base, np.memmap)
    path.write_bytes(lines(WORDS[:2], VECTORS[:2]))
    assert len(embeddings.open_embeddings(path).words) == 2
    (newer,) = own_cache.iterdir()
    assert newer != entry


def test_unwritable_cache_error_names_the_environment_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("GLUEPOT_CACHE", str(tmp_path / "file"))
    with pytest.raises(GluepotError, match="set GLUEPOT_CACHE"):
        embeddings.open_embeddings(glove(tmp_path / "v.txt"))


def test_many_blocks_give_the_same_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "BLOCK", 10)
    found = embeddings.open_embeddings(word2vec_text(tmp_path / "v.txt"))
    assert list(found.words) == WORDS
    assert (found.matrix == VECTORS).all()


def test_fasttext_vectors_equal_gensims(trained: Path) -> None:
    theirs = pytest.importorskip("gensim.models.fasttext").load_facebook_vectors(str(trained))
    ours = embeddings.open_embeddings(trained)
    assert isinstance(ours, FastText)
    assert list(ours.words) == theirs.index_to_key
    assert np.allclose(ours.matrix, theirs.vectors, atol=1e-6)
    for word in [*theirs.index_to_key, "kattens", "förändringsbenägenhet", "катей", "日本", "x"]:
        assert np.allclose(ours.vector(word), theirs.get_vector(word), atol=1e-6)


def test_files_written_by_fasttext_equal_gensims_reading() -> None:
    """Covers models by fastText itself, which gensim ships; gensim gives the end-of-sentence token n-grams, fastText does not."""
    gensim = pytest.importorskip("gensim")
    path = Path(gensim.__file__).parent / "test" / "test_data" / "lee_fasttext_new.bin"
    if not path.is_file():
        pytest.skip("this gensim came without its test data")
    theirs = pytest.importorskip("gensim.models.fasttext").load_facebook_vectors(str(path))
    ours = embeddings.open_embeddings(path)
    kept = [row for row, word in enumerate(ours.words) if word != "</s>"]
    assert np.allclose(ours.matrix[kept], theirs.vectors[kept], atol=1e-6)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1)), st.integers(1, 4), st.integers(1, 6))
def test_buckets_equal_gensims_hashes(words: list[str], shortest: int, longest: int) -> None:
    hashes = pytest.importorskip("gensim.models.fasttext").ft_ngram_hashes
    words = [word for word in words if word != "</s>"]
    numbers, counts = buckets(words, shortest, longest, 997)
    parts = np.split(numbers, np.cumsum(counts)[:-1]) if words else []
    assert [sorted(part.tolist()) for part in parts] == [sorted(hashes(word, shortest, longest, 997)) for word in words]


def test_composed_vectors_are_cached(trained: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = embeddings.open_embeddings(trained).matrix
    embeddings._open.cache_clear()
    monkeypatch.setattr(FastText, "_write", None)
    again = embeddings.open_embeddings(trained)
    assert (again.matrix == first).all()
    assert len(list(own_cache.iterdir())) == 1


def test_fasttext_without_subwords_knows_only_its_words(trained: Path) -> None:
    found = embeddings.open_embeddings(trained)
    assert isinstance(found, FastText)
    plain = FastText(trained, list(found.words), found._matrix, fasttext.Ngrams(0, 0, 0))
    assert plain.vector("kattens") is None
    assert (plain.vector("katten") == found._matrix[found.row("katten")]).all()


@pytest.mark.parametrize("size", [10, 70, 200, 1000])
def test_a_truncated_fasttext_model_is_refused(size: int, trained: Path, tmp_path: Path) -> None:
    (tmp_path / "cut.bin").write_bytes(trained.read_bytes()[:size])
    with pytest.raises(WrongUse, match="breaks off"):
        embeddings.open_embeddings(tmp_path / "cut.bin")


@pytest.mark.parametrize(
    ("place", "form", "value"),
    [
        (8 + 4 * 8, "<i", -1),  # buckets
        (8 + 4 * 10, "<i", 2**31 - 1),  # the longest n-gram
        (fasttext.HEAD.size + 4, "<i", -5),  # words
        (fasttext.HEAD.size + 4, "<i", 2**31 - 1),
        (fasttext.HEAD.size + 20, "<q", 2**62),  # pruned n-grams
    ],
)
def test_fasttext_model_with_impossible_numbers_is_refused(place: int, form: str, value: int, trained: Path, tmp_path: Path) -> None:
    data = bytearray(trained.read_bytes())
    struct.pack_into(form, data, place, value)
    (tmp_path / "odd.bin").write_bytes(data)
    with pytest.raises(WrongUse, match="contradicts itself"):
        embeddings.open_embeddings(tmp_path / "odd.bin")


def test_a_quantised_fasttext_model_is_refused(trained: Path, tmp_path: Path) -> None:
    data = bytearray(trained.read_bytes())
    rows, columns = embeddings.open_embeddings(trained)._matrix.shape
    data[data.index(struct.pack("<2q", rows, columns)) - 1] = 1
    (tmp_path / "model.ftz").write_bytes(data)
    with pytest.raises(WrongUse, match="quantised"):
        embeddings.open_embeddings(tmp_path / "model.ftz")


def test_gensim_files_are_memory_mapped_and_use_subwords(tmp_path: Path, trained: Path) -> None:
    models = pytest.importorskip("gensim.models")
    keyed = models.KeyedVectors(3)
    keyed.add_vectors(WORDS, VECTORS)
    keyed.save(str(tmp_path / "v.kv"), sep_limit=1)
    found = embeddings.open_embeddings(tmp_path / "v.kv", trust_pickle=True)
    assert list(found.words) == WORDS
    assert (found.matrix == VECTORS).all()
    assert isinstance(found.matrix.base, np.memmap) or isinstance(found.matrix, np.memmap)
    assert found.vector("okänt") is None

    subwords = pytest.importorskip("gensim.models.fasttext").load_facebook_vectors(str(trained))
    subwords.save(str(tmp_path / "sub.kv"))
    guessed = embeddings.open_embeddings(tmp_path / "sub.kv", trust_pickle=True).vector("kattens")
    assert np.allclose(guessed, embeddings.open_embeddings(trained).vector("kattens"), atol=1e-6)


def test_incomplete_gensim_files_are_refused(tmp_path: Path) -> None:
    models = pytest.importorskip("gensim.models")
    keyed = models.KeyedVectors(3)
    keyed.add_vectors(WORDS, VECTORS)
    keyed.save(str(tmp_path / "v.kv"), sep_limit=1)
    (tmp_path / "cut.kv").write_bytes((tmp_path / "v.kv").read_bytes()[:40])
    with pytest.raises(WrongUse, match="is it whole"):
        embeddings.open_embeddings(tmp_path / "cut.kv", trust_pickle=True)
    (tmp_path / "v.kv.vectors.npy").unlink()
    with pytest.raises(DataMissing, match=r"v\.kv\.vectors\.npy must lie beside it"):
        embeddings.open_embeddings(tmp_path / "v.kv", trust_pickle=True)


def test_gensim_files_without_gensim_name_the_package_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "v.kv").write_bytes(b"\x80\x04.")
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(WrongUse, match="pip install gensim"):
        embeddings.open_embeddings(tmp_path / "v.kv", trust_pickle=True)


def cut_in_half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


HARMS = {
    "vectors cut": lambda entry: cut_in_half(entry / "vectors.npy"),
    "vectors gone": lambda entry: (entry / "vectors.npy").unlink(),
    "vectors of zeroes": lambda entry: (entry / "vectors.npy").write_bytes(b"\0" * (entry / "vectors.npy").stat().st_size),
    "one bit": lambda entry: (entry / "vectors.npy").write_bytes((entry / "vectors.npy").read_bytes()[:-1] + b"\x01"),
    "words cut": lambda entry: cut_in_half(entry / "words.json"),
    "other words": lambda entry: (entry / "words.json").write_text('["a", "b", "c", "d", "e"]'),
    "words gone": lambda entry: (entry / "words.json").unlink(),
    "seal gone": lambda entry: (entry / "seal.json").unlink(),
    "seal broken": lambda entry: (entry / "seal.json").write_bytes(b"\xff["),
}


@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
def test_damaged_cached_vectors_are_rebuilt_with_one_notice(
    harm: Callable[[Path], object], tmp_path: Path, own_cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = word2vec_text(tmp_path / "v.vec")
    embeddings.open_embeddings(path)
    (entry,) = own_cache.iterdir()
    harm(entry)
    for told in (1, 0):
        embeddings._open.cache_clear()
        found = embeddings.open_embeddings(path)
        assert list(found.words) == WORDS
        np.testing.assert_array_equal(found.matrix, VECTORS)
        assert capsys.readouterr().err.count("broken; they are dropped and made again from v.vec") == told


def test_damaged_composed_vectors_are_recomputed(trained: Path, own_cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = np.array(embeddings.open_embeddings(trained).matrix)
    (entry,) = own_cache.iterdir()
    cut_in_half(entry / "vectors.npy")
    embeddings._open.cache_clear()
    np.testing.assert_array_equal(embeddings.open_embeddings(trained).matrix, first)
    assert "made again from tiny.bin" in capsys.readouterr().err
