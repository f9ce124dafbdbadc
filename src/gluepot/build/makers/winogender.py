"""`winogender`: sentences that differ only in a pronoun's gender, from templates that determine all other forms."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gluepot.build.maker import Item, Maker, Option, Product, register
from gluepot.build.reading.tables import TableRow, read_rows
from gluepot.build.workbench import Workbench
from gluepot.errors import WrongUse

CASES = ("NOM", "POSS", "ACC")
KNOWN = {
    "en": {"male": ("he", "his", "him"), "female": ("she", "her", "her"), "neutral": ("they", "their", "them")},
    "sv": {"han": ("han", "hans", "honom"), "hen": ("hen", "hens", "hen"), "hon": ("hon", "hennes", "henne")},
}
"""Built-in pronouns: nominative, possessive, accusative."""
_PLACE = re.compile(r"\$(\^?)(NOM|POSS|ACC)(?:_PRONOUN)?\b")
_ARTICLE = re.compile(r"\b(?:(The|An?)|(the|an?)) \$PARTICIPANT")
LABELS = ("entailment", "neutral")
EXAMPLE = """\
template_id	premise	entailed	neutral
1	Teknikern sa till kunden att $NOM kunde betala.	Kunden kunde betala.	Teknikern kunde betala.

or, as in the English original:
occupation(0)	other-participant(1)	answer	sentence
technician	customer	1	The $OCCUPATION told the $PARTICIPANT that $NOM_PRONOUN could pay with cash."""


@dataclass(frozen=True)
class PronounForms:
    """Name of a gender, and its pronouns by case."""

    name: str
    forms: dict[str, str]

    def fill(self, template: str) -> str:
        """Fill the template with these forms; `$^NOM` is capitalised, and `they was` becomes `they were`."""

        def form(found: re.Match[str]) -> str:
            word = self.forms[found[2]]
            return word[:1].upper() + word[1:] if found[1] else word

        filled = _PLACE.sub(form, template)
        return re.sub(r"\b([Tt]hey) was\b", r"\1 were", filled) if self.forms["NOM"] == "they" else filled


def make_winogender(bench: Workbench) -> Product:
    pairs = [row for path in bench.inputs for row in _read(bench, path)]
    bench.check()
    bench.need(pairs, "templates are")
    bench.count("templates", len(pairs))
    if "sentence" in pairs[0].cells:
        genders = _genders(bench, "en")
        items = [item for row in pairs for item in _sentences(row, genders)]
        return Product(items, "choice", ordered=True, whole=True)
    items = [item for row in pairs for item in _inferences(row, _genders(bench, ""))]
    _check_tuples(bench, items)
    metrics = {"metrics": ["accuracy", "macro-f1", "gender-parity"]}
    return Product(items, "pair-classification", LABELS, ordered=True, whole=True, extra=metrics)


def _read(bench: Workbench, path: Path) -> list[TableRow]:
    """Return templates of either format."""
    header = path.read_text(encoding="utf-8-sig", errors="replace").partition("\n")[0]
    if "premise" in header:
        optional = {"template_id": ("id", "template"), "occupation": (), "other": ()}
        return read_rows(bench, path, {"premise": ("text",), "entailed": ("entailment",), "neutral": ()}, optional)
    wanted = {"sentence": ("text",), "occupation": ("occupation(0)",), "participant": ("other-participant(1)", "other"), "answer": ()}
    return read_rows(bench, path, wanted)


def _genders(bench: Workbench, language: str) -> list[PronounForms]:
    told = [_told(text) for text in bench["pronouns"]]
    known = KNOWN.get(bench.language.partition("-")[0] if bench.language.partition("-")[0] in KNOWN else language, {})
    if not told and not known:
        raise WrongUse(
            "which pronouns? --language en or sv, or each gender with its forms: --pronouns han,hans,honom --pronouns hon,hennes,henne"
        )
    return told or [PronounForms(name, dict(zip(CASES, forms, strict=True))) for name, forms in known.items()]


def _told(text: str) -> PronounForms:
    name, _, forms = text.rpartition("=")
    words = [form.strip() for form in forms.split(",")]
    if len(words) != len(CASES) or not all(words):
        raise WrongUse(f"--pronouns {text}: nominative, possessive and accusative, as in hon,hennes,henne.")
    return PronounForms(name or words[0], dict(zip(CASES, words, strict=True)))


def _sentences(row: TableRow, genders: Sequence[PronounForms]) -> Iterator[Item]:
    """Yield items for every gender, first with the participant and then with someone."""
    occupation, participant, answer = row.text("occupation"), row.text("participant"), row.text("answer")
    for other in (participant, "someone"):
        template = row.text("sentence")
        if other == "someone":
            template = _ARTICLE.sub(lambda found: "Someone" if found[1] else "someone", template)
        filled = template.replace("$OCCUPATION", occupation).replace("$PARTICIPANT", other)
        for gender in genders:
            name = f"{occupation}.{other}.{answer}"
            fields = {"text": gender.fill(filled), "options": [occupation, other], "target": int(answer), "gender": gender.name}
            yield Item(fields, name, row.source, id=f"{name}.{gender.name}.txt")


def _inferences(row: TableRow, genders: Sequence[PronounForms]) -> Iterator[Item]:
    name = row.text("template_id") or str(row.line - 1)
    for label, column in zip(LABELS, ("entailed", "neutral"), strict=True):
        for gender in genders:
            fields = {"text": gender.fill(row.text("premise")), "pair": row.text(column), "target": label, "gender": gender.name}
            yield Item(fields, f"{name}-{label}", row.source, id=f"{name}-{label}-{gender.name}")


def _check_tuples(bench: Workbench, items: Sequence[Item]) -> None:
    """Record a fault unless the items of a tuple differ in exactly one word."""
    tuples: dict[str, list[Item]] = {}
    for item in items:
        tuples.setdefault(item.group, []).append(item)
    for name, members in tuples.items():
        words = [item.row["text"].split() for item in members]
        differ = {len({word.strip(".,;:!?") for word in column}) > 1 for column in zip(*words, strict=False)}
        places = sum(len(set(column)) > 1 for column in zip(*words, strict=False))
        if len({len(one) for one in words}) > 1 or places != 1 or True not in differ:
            path, line = members[0].source.rsplit(":", 1)
            bench.fault(path, int(line), f"the sentences of {name} must differ in one word, the pronoun: they differ in {places}.")


WINOGENDER = register(
    Maker(
        "winogender",
        "Sentences repeated with pronouns of different genders.",
        "a table of templates: premise with $NOM, $POSS or $ACC ($^NOM for upper case), entailed and neutral hypothesis; or sentences",
        EXAMPLE,
        make_winogender,
        (
            Option(
                "pronouns",
                [],
                "forms of a gender: nominative, possessive, accusative, such as hon,hennes,henne; repeat for each",
                many=True,
            ),
        ),
        labelling="As the templates have it.",
    )
)
