"""Errata in the publications of the five suites; one module or package per suite."""

from gluepot.board.errata import register_errata
from gluepot.published.errata import basqueglue, scandeval, supersim
from gluepot.published.errata.russian_superglue import files as russian_files
from gluepot.published.errata.russian_superglue import leaderboard
from gluepot.published.errata.superlim import files, tables

register_errata(
    {
        files.argumentation: ("superlim/argumentation-sentences",),
        files.diagnostics: ("superlim/swediagnostics",),
        files.analogies: ("superlim/sweanalogy",),
        tables.parity: ("superlim/swewinogender",),
        tables.size: ("superlim/swediagnostics",),
        tables.faq: ("superlim/swefaq",),
        tables.candidates: ("superlim/swefaq",),
        tables.misprints: ("superlim/swenli",),
        files.sizes: ("superlim/swefaq", "superlim/swediagnostics", "superlim/swenli"),
        tables.checked: (),
        russian_files.known_texts: ("russian-superglue/TERRa", "russian-superglue/DaNetQA", "russian-superglue/RCB"),
        russian_files.russe: ("russian-superglue/RUSSE",),
        russian_files.features: ("russian-superglue/LiDiRus",),
        leaderboard.human: (),
        leaderboard.human_scores: ("russian-superglue/RCB", "russian-superglue/RUSSE"),
        leaderboard.timings: (),
        russian_files.sizes: tuple(f"russian-superglue/{name}" for name in ("RUSSE", "MuSeRC", "DaNetQA", "RuCoS")),
        basqueglue.sentences: ("basqueglue/wic",),
        basqueglue.copies: ("basqueglue/intent", "basqueglue/bhtc", "basqueglue/vaxx"),
        basqueglue.overlap: ("basqueglue/qnli",),
        basqueglue.annotation: ("basqueglue/slot", "basqueglue/coref"),
        basqueglue.sizes: ("basqueglue/nerc_id", "basqueglue/nerc_od", "basqueglue/slot"),
        scandeval.entities: ("scandeval-da/dane", "scandeval-da/dansk"),
        scandeval.intervals: (),
        scandeval.duplicates: ("scandeval-da/scandiqa-da",),
        scandeval.rouge: ("scandeval-da/nordjylland-news",),
        supersim.percentages: (),
        supersim.quotation: (),
        supersim.vocabulary_size: ("supersim/similarity", "supersim/relatedness"),
        supersim.scale: ("supersim/relatedness", "superlim/supersim-superlim-relatedness"),
    }
)
