"""Items as HTML: very long ones are truncated with the number of omitted tokens."""

from pathlib import Path
from time import process_time

LONG = 90_000


def test_ninety_thousand_tags_are_truncated_quickly(board_folder: Path) -> None:
    from gluepot.board.items.showing import MOST_TOKENS, tagged

    begun = process_time()
    shown = tagged(["<ord>"] * LONG, ["B-PER", "I-LOC"] * (LONG // 2))
    assert process_time() - begun < 0.5
    assert shown.count("<mark>") == shown.count("&lt;ord&gt;") == MOST_TOKENS
    assert shown.endswith(f"<small>… +{LONG - MOST_TOKENS:,}</small>")
    assert "+" not in tagged(["ord"] * MOST_TOKENS, None)
    assert tagged(["ord"] * LONG, ["I-PER"] * LONG).count("<mark>") == 1
