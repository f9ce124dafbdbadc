"""SuperSim: reader of its own distribution of word pairs."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from gluepot.data.readers import read_tsv
from gluepot.tasks.formats import READERS, Record


@READERS.register("supersim-tsv")
def read_supersim_tsv(files: Sequence[Path], split: str) -> Iterator[Record]:
    """Read two words, five judgments and their mean; headers are padded with spaces."""
    for row in read_tsv(files, split):
        cells = {name.strip(): cell.strip() for name, cell in row.items()}
        judgments = [float(cell) for name, cell in cells.items() if name.startswith("Anno")]
        origin = cells.get("Origin")
        yield {
            "word_1": cells["Word 1"],
            "word_2": cells["Word 2"],
            "judgments": judgments,
            "label": float(cells["Average"]),
            **({"origin": origin} if origin else {}),
        }
