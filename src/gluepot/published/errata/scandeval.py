"""Errata of ScandEval: spurious entities, intervals with low coverage, duplicates that collapse, words split at their vowels."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from gluepot.board.errata.claims import Erratum, ErratumFigure
from gluepot.board.items.loading import load_items
from gluepot.board.models import Score
from gluepot.board.templatetags.shown import decimal, number
from gluepot.errors import GluepotError
from gluepot.metrics import METRICS
from gluepot.statistics.coverage import coverage, root_rule, t_rule
from gluepot.tasks.declarations import load_suite

NAME = "scandeval-da"
SOURCE = "ScandEval 14.4.0"
SENTENCE = ["Mette", "Holm", "bor", "i", "Ribe", "hos", "Novo", "Nordisk"]
GOLD = ["B-PER", "I-PER", "O", "O", "B-LOC", "O", "B-ORG", "I-ORG"]
FOUND = ["B-PER", "I-PER", "O", "O", "B-ORG", "O", "B-ORG", "I-ORG"]
"""One of three entities has the wrong type."""
EVERY = 3
"""Entities that a simulated tagger overlooks: every third."""


def entities() -> Erratum:
    """Return the erratum on runs of "o" counted as spans (D1)."""
    lines = [_compared(_("“%(text)s”, one of three entities of the wrong type") % {"text": " ".join(SENTENCE)}, [GOLD], [FOUND])]
    task = load_suite(NAME).tasks["dane"]
    missing = ""
    try:
        gold = [list(example.target) for example in load_items(task, "test").examples]
    except GluepotError:
        missing = _("DaNE is not on this server. Get it with “%(command)s”.") % {"command": f"gluepot data fetch {NAME}"}
    else:
        text = _("DaNE test, %(count)s sentences, a tagger that overlooks every third entity") % {"count": number(len(gold))}
        lines.append(_compared(text, gold, overlooked(gold)))
    reported = Score.objects.filter(entry__suite__name=NAME, current=True, metric__endswith="-scandeval14").count()
    kept = _("%(count)s reported scores on this board carry the name “-scandeval14”; no predictions came with them to recompute.")
    return Erratum(
        key="entities",
        title=_("Entities made of nothing"),
        text=_(
            "ScandEval writes its tags in lower case, and the library that counts entities knows upper case only. So every run of "
            "“o”, no entity, counts as an entity of a nameless type. Scores move by several points, and not by the same for every "
            "system."
        ),
        source=f"{SOURCE}, micro_f1",
        suite=NAME,
        printed=_("As ScandEval counts"),
        computed=_("By conlleval’s rules"),
        digits=4,
        lines=lines,
        missing=" ".join(part for part in (missing, kept % {"count": number(reported)}) if part),
    )


def _compared(what: str, gold: Sequence[Sequence[str]], found: Sequence[Sequence[str]]) -> ErratumFigure:
    return ErratumFigure(what, METRICS["span-f1-scandeval14"](gold, found), METRICS["span-f1"](gold, found))


def overlooked(gold: Sequence[Sequence[str]], every: int = EVERY) -> list[list[str]]:
    """Return the same tags with every `every`-th entity replaced by O.

    >>> overlooked([["B-PER", "I-PER", "O", "B-LOC"]], every=2)
    [['B-PER', 'I-PER', 'O', 'O']]
    """
    made, seen = [], 0
    for tags in gold:
        row: list[str] = []
        for tag in tags:
            seen += tag.startswith("B-")
            row.append("O" if tag != "O" and seen % every == 0 else tag)
        made.append(row)
    return made


def intervals() -> Erratum:
    """Return the erratum on intervals of 1.96·s/√10 over ten bootstraps."""
    lines = [
        ErratumFigure("1.96·s/√10", 95.0, 100 * coverage(root_rule), _("as printed")),
        ErratumFigure("t·s·√(1 + 1/10)", 95.0, 100 * coverage(t_rule), _("as this board shows for the same ten numbers")),
    ]
    return Erratum(
        key="intervals",
        title=_("Intervals that miss more often than they hit"),
        text=_(
            "A score is the mean over ten bootstrap resamples of one test set, with ± 1.96·s/√10. That would be right for ten new "
            "test sets; resampling the same one does not make it larger, and s alone is already its error. In a simulation with "
            "2,048 items and a true accuracy of 0.7, the printed interval holds the truth less than half of the time."
        ),
        source=SOURCE,
        suite=NAME,
        printed=_("Promised, %"),
        computed=_("Holds the truth, %"),
        digits=1,
        lines=lines,
    )


def duplicates() -> Erratum:
    """Return the erratum on answers stored by the id of their question (D2)."""
    asked = [("q1", "Ribe", "Ribe"), ("q1", "Ribe", "Ribe"), ("q1", "Ribe", "Ribe"), ("q2", "Odense", "Aarhus")]
    once = {key: (gold, answer) for key, gold, answer in asked}
    by_id = METRICS["exact-match"]([gold for gold, _a in once.values()], [answer for _g, answer in once.values()])
    every = METRICS["exact-match"]([gold for _k, gold, _a in asked], [answer for _k, _g, answer in asked])
    return Erratum(
        key="duplicates",
        title=_("Questions that count once however often they were drawn"),
        text=_(
            "A bootstrap resample draws some questions twice and more. ScandEval’s scorer keeps answers by the id of their "
            "question, so that duplicates collapse into one. The ten values then lie closer together than a bootstrap’s, and "
            "intervals become narrower still."
        ),
        source=f"{SOURCE}, scandiqa-da",
        suite=NAME,
        printed=_("Kept by id"),
        computed=_("Every draw counts"),
        digits=2,
        lines=[ErratumFigure(_("exact match; one question drawn three times and right, another once and wrong"), by_id, every)],
        missing=_("The answers behind the printed scores are not on this board."),
    )


def rouge() -> Erratum:
    """Return the erratum on words split at æ, ø and å (D3)."""
    pairs = [("bøger", "båger"), ("rødgrød", "rådgråd")]
    lines = [
        ErratumFigure(f"“{gold}”, “{given}”", METRICS["rouge-l-ascii"]([gold], [given]), METRICS["rouge-l"]([gold], [given]))
        for gold, given in pairs
    ]
    known = decimal(lines[0].printed, 1)
    return Erratum(
        key="rouge",
        title=_("Words cut at their vowels"),
        text=_(
            "The ROUGE library that ScandEval uses takes every letter outside the English alphabet for a space. Danish words fall "
            "apart at æ, ø and å, and two different words with the same consonants count as the same: a score of %(known)s where it"
            " should be 0."
        )
        % {"known": known},
        source=f"{SOURCE}, rouge_l",
        suite=NAME,
        printed=_("As ScandEval splits words"),
        computed=_("Words of any script"),
        digits=2,
        lines=lines,
        missing=_("The summaries behind the printed scores are not on this board."),
    )
