"""Every problem code of an import is documented in the guide or in the problem reference."""

import re
from pathlib import Path

from gluepot.submissions.codes import CODES

ROOT = Path(__file__).parents[3]


def test_every_code_is_documented() -> None:
    sources = [path.read_text() for path in (ROOT / "src/gluepot/board/importing").rglob("*.py")]
    used = {
        code
        for text in sources
        for code in re.findall(r'(?:Problem\(|Refused\(|__init__\(|_problem\([a-z]+, |problems\.add\(|InvalidLineError\()"([a-z-]+)"', text)
    }
    guide = (ROOT / "docs/guides/board.md").read_text()
    assert len(used) > 10
    assert {code for code in used - set(CODES) if f"`{code}`" not in guide} == set()
