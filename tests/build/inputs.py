"""Synthetic inputs for every maker: a made-up corpus of distinct sentences."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

NAMES = (
    "Anna",
    "Bjarni",
    "Dagur",
    "Eva",
    "Freyja",
    "Gunnar",
    "Helga",
    "Ivar",
    "Jóna",
    "Katrin",
    "Leif",
    "Marta",
    "Njáll",
    "Olga",
    "Petur",
    "Rósa",
)
VERBS = ("keypti", "seldi", "fann", "týndi", "málaði", "braut", "teiknaði", "gaf")
NOUNS = ("bók", "hest", "bát", "hús", "skál", "kerti", "vél", "mynd", "stól", "lampa", "hníf", "poka", "penna", "hjól", "teppi", "spegil")
PLACES = ("Reykjavík", "Akureyri", "Tórshavn", "Bergen", "Visby", "Nuuk", "Kirkwall", "Mariehamn")


def scene(number: int) -> tuple[str, str, str, str]:
    return (
        NAMES[number % 16] + "lmnprstv"[number // 16 % 8],
        VERBS[number * 3 % 8] + "aeiou"[number // 8 % 5],
        NOUNS[number * 7 % 16] + "aeiou"[number // 5 % 5],
        PLACES[number * 5 % 8] + "aeiou"[number // 3 % 5],
    )


def sentence(number: int) -> str:
    name, verb, noun, place = scene(number)
    return f"{name} {verb} eina {noun} í {place}."


def treebank(folder: Path) -> list[Path]:
    blocks = []
    for number in range(140):
        name, verb, noun, place = scene(number)
        tokens = [(name, "PROPN"), (verb, "VERB"), ("eina", "DET"), (noun, "NOUN"), ("í", "ADP"), (place, "PROPN"), (".", "PUNCT")]
        lines = [
            f"{n}\t{form}\t{form}\t{tag}\t_\t_\t0\t_\t_\t{'SpaceAfter=No' if n == 6 else '_'}" for n, (form, tag) in enumerate(tokens, 1)
        ]
        blocks.append("\n".join([f"# sent_id = s{number}", f"# text = {sentence(number)}", *lines]))
    return [write(folder / "is_own-ud-train.conllu", "\n\n".join(blocks) + "\n")]


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def table(path: Path, header: Sequence[str], rows: Sequence[Sequence[object]]) -> list[Path]:
    return [write(path, "\n".join("\t".join(map(str, row)) for row in (header, *rows)) + "\n")]


def genders(folder: Path) -> list[Path]:
    rows = [(f"{n}A", f"{a} sagde til {b}, at $NOM fandt en {c}.", f"{b} fandt en {c}.", f"{a} fandt en {c}.") for n, a, b, c in people(60)]
    return table(folder / "templates.tsv", ("template_id", "premise", "entailed", "neutral"), rows)


def people(count: int) -> list[tuple[int, str, str, str]]:
    return [(n, scene(n)[0], scene(n + 37)[0] + "son", scene(n)[2]) for n in range(count)]


def schemas(folder: Path) -> list[Path]:
    rows = [(n, f"{a} thanked {b} because [she] had brought the {c} home.", f"{a}|{b}", b) for n, a, b, c in people(60)]
    rows += [(n + 100, f"{a} paid {b} for the {c} since [she] had asked for money.", f"{a}|{b}", b) for n, a, b, c in people(20)]
    return table(folder / "schemas.tsv", ("id", "text", "candidates", "answer"), rows)


def clauses(folder: Path) -> list[Path]:
    rows = [
        (n, f"{a} thanked {b} because she brought the {c}.", f"$CANDIDATE brought the {c}.", f"{a}|{b}", b) for n, a, b, c in people(60)
    ]
    return table(folder / "clauses.tsv", ("id", "text", "clause", "candidates", "answer"), rows)


def word_pairs(folder: Path) -> list[Path]:
    rows = [("plural", f"{noun}{end}", f"{noun}{end}ir") for noun in NOUNS for end in "kl"]
    rows += [("place", f"{name}s", f"{name}sborg") for name in NAMES]
    return table(folder / "pairs.tsv", ("relation", "a", "b"), rows)


def thesaurus(folder: Path) -> list[Path]:
    words = [f"{a}{b}{c}" for a in ("bra", "kvi", "mus", "tel", "fos", "gni", "hal", "vep") for b in "knrs" for c in ("ur", "ig", "andi")]
    entries = [f"{word}|1\n(adj)|{words[-1 - n]}" for n, word in enumerate(words[:48])]
    return [write(folder / "th.dat", "\n".join(["UTF-8", *entries]) + "\n")]


def idioms(folder: Path) -> list[Path]:
    rows = [(f"at {scene(n)[1]} {scene(n)[2]}", f"{NOUNS[n % 16]}{n} {VERBS[n % 8]}{n} {'mjög ' * (n % 3)}vel") for n in range(60)]
    return table(folder / "idioms.tsv", ("idiom", "definition"), rows)


def questions(folder: Path) -> list[Path]:
    rows = [(f"c{n // 5}", f"Hvar fann {scene(n)[0]} {scene(n)[2]}?", f"Í {scene(n)[3]}, hjá {scene(n + 9)[0]}.") for n in range(80)]
    return table(folder / "faq.tsv", ("category", "question", "answer"), rows)


def reviews(folder: Path) -> list[Path]:
    return table(folder / "reviews.tsv", ("text", "label"), [(sentence(n), ("good", "bad")[n % 2]) for n in range(90)])


def senses(folder: Path) -> list[Path]:
    rows = []
    for number in range(240):
        name, verb, noun, place = scene(number)
        word = f"ord{number % 20}"
        text = f"{name} {verb} {noun} um {word} hjá {place} og svo fór {name} aftur heim"
        start = text.index(word)
        sense = number // 20 % 2
        rows.append((text, start, start + len(word), word, "n", f"{word}.{sense}", ("noun.act", "noun.food")[sense]))
    return table(folder / "senses.tsv", ("sentence", "start", "end", "lemma", "pos", "sense", "supersense"), rows)


def squad(folder: Path) -> list[Path]:
    paragraphs = []
    for first in range(0, 120, 4):
        context = " ".join(sentence(number) for number in range(first, first + 4))
        asked = [(n, f"Hver var þar í sögu {n}?", scene(n)[0]) for n in range(first, first + 4)]
        qas = [{"id": n, "question": q, "answers": [{"text": a, "answer_start": context.index(a)}]} for n, q, a in asked]
        paragraphs.append({"title": f"t{first}", "paragraphs": [{"context": context, "qas": qas}]})
    return [write(folder / "squad.json", json.dumps({"data": paragraphs}, ensure_ascii=False))]


def coreference(folder: Path) -> list[Path]:
    blocks = []
    for number in range(80):
        name, verb, noun, place = scene(number)
        if number % 4 == 0:
            blocks.append(f"# newdoc id = d{number}\n# global.Entity = GRP-etype")
        first = [
            (name, "PROPN", "(1-person)"),
            (verb, "VERB", ""),
            (noun, "NOUN", "(2-object)"),
            ("í", "ADP", ""),
            (place, "PROPN", "(3-place)"),
        ]
        second = [
            ("Hann" if number % 2 else "Hún", "PRON", f"({1 + number % 3}-person)"),
            ("sá", "VERB", ""),
            (f"{noun}n{number}", "NOUN", "(5-object)"),
        ]
        blocks += ["\n".join(entity_line(n, *token) for n, token in enumerate(tokens, 1)) + "\n" for tokens in (first, second)]
    return [write(folder / "coref.conllu", "\n".join(blocks) + "\n")]


def entity_line(number: int, form: str, tag: str, entity: str) -> str:
    return f"{number}\t{form}\t{form}\t{tag}\t_\t_\t0\t_\t_\t{f'Entity={entity}' if entity else '_'}"


def learners(folder: Path) -> list[Path]:
    rows = [(sentence(n).replace("eina", "einn"), sentence(n)) for n in range(90)]
    return table(folder / "learners.tsv", ("original", "corrected"), rows)


def paraphrases(folder: Path) -> list[Path]:
    rows = [(sentence(n), f"Í {scene(n)[3]} {scene(n)[1]} {scene(n)[0]}.", (4, 2, 3)[n % 3], f"g{n // 3}") for n in range(90)]
    return table(folder / "pairs.tsv", ("text", "pair", "label", "group"), rows)


def texts(folder: Path) -> list[Path]:
    return [write(folder / "texts.txt", "\n\n".join(" ".join(sentence(n + k) for k in range(4)) for n in range(0, 140, 4)) + "\n")]


def translations(folder: Path) -> list[Path]:
    rows = [(n, ("entailment", "neutral")[n % 2], sentence(n), f"{scene(n)[0]} {scene(n)[1]}.", "Negation") for n in range(40)]
    other = [(n, label, f"{a[:-1]} þar.", f"{b[:-1]} þar.", tag) for n, label, a, b, tag in rows]
    header = ("id", "label", "premise", "hypothesis", "logic")
    return [*table(folder / "source.tsv", header, rows), *table(folder / "translation.tsv", header, other)]


def endings(folder: Path) -> list[Path]:
    rows = [(f"{scene(n)[0]} gekk út og", f"{scene(n)[1]} eina {scene(n)[2]} í {scene(n)[3]}.") for n in range(80)]
    return table(folder / "endings.tsv", ("text", "answer"), rows)


INPUTS: dict[str, tuple[Callable[[Path], list[Path]], list[str]]] = {
    "scala": (treebank, []),
    "winogender": (genders, ["--pronouns", "han,hans,ham", "--pronouns", "hun,hendes,hende", "--split", "0.6,0.1,0.3"]),
    "winograd": (schemas, []),
    "entailment": (clauses, []),
    "analogy": (word_pairs, []),
    "synonyms": (thesaurus, []),
    "idioms": (idioms, []),
    "matching": (questions, []),
    "split": (reviews, []),
    "wic": (senses, ["--split-by", "word", "--per-word", "8"]),
    "qnli": (squad, []),
    "coref": (coreference, ["--distance", "both"]),
    "errors": (learners, []),
    "paraphrase": (paraphrases, []),
    "order": (texts, []),
    "diagnostic": (translations, ["--split", "0.6,0.1,0.3"]),
    "distractors": (endings, []),
}
"""Input writer and command-line options of each maker."""
