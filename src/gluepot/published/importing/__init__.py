"""Import of other harnesses' results as entries of a board: EuroEval records and MOROCCO timings."""

from pathlib import Path

from gluepot.board.importing.sources import SOURCES, ResultSource
from gluepot.efficiency.repeats import is_timing_file, timing_folders
from gluepot.efficiency.run_records import is_measurement
from gluepot.published.importing.euroeval import record_drafts
from gluepot.published.importing.morocco import timing_drafts
from gluepot.published.scandeval.euroeval import is_record


def foreign_timings(place: Path) -> list[Path]:
    """Return the folders of raw records other than gluepot's own measurements, which hold more information."""
    return [folder for folder in timing_folders(place) if not is_measurement(folder)]


SOURCES.add("records", ResultSource("EuroEval records", record_drafts, is_record=is_record))
MOROCCO = ResultSource("MOROCCO timings", timing_drafts, folders=foreign_timings, is_part=is_timing_file, part="one repeat of a timing")
SOURCES.add("timings", MOROCCO)
