"""Results of other harnesses as entries of a board: EuroEval records and MOROCCO timings."""

from gluepot.board.importing.sources import SOURCES, ResultSource
from gluepot.published.importing.euroeval import record_drafts
from gluepot.published.importing.morocco import timing_drafts
from gluepot.published.russian_superglue.morocco import is_timing_file, timing_folders
from gluepot.published.scandeval.euroeval import is_record

SOURCES.add("records", ResultSource("EuroEval records", record_drafts, is_record=is_record))
MOROCCO = ResultSource("MOROCCO timings", timing_drafts, folders=timing_folders, is_part=is_timing_file, part="one repeat of a timing")
SOURCES.add("timings", MOROCCO)
