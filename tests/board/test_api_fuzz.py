"""Schemathesis against the OpenAPI document of a running server: no 5xx, and every response conforms to it."""

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.board.exporting import SAMPLE
from tests.board.made import make_board, without_board
from tests.board.serving import import_into, served

KNOWN = """
[parameters]
suite = "pocket"
version = "1"
slug = "sample"
"""


@pytest.mark.slow
@pytest.mark.parametrize("known", ["", KNOWN], ids=["any names", "known names"])
def test_schemathesis_finds_no_problem_in_the_public_api(known: str, tmp_path: Path) -> None:
    with TemporaryDirectory(prefix="gluepot-fuzz-", ignore_cleanup_errors=True) as folder:
        import_into(Path(folder), str(SAMPLE))
        with served(Path(folder)) as address:
            fuzz(f"{address}/api/openapi.json", known, tmp_path)


KEYS = """
import sys
from pathlib import Path
from gluepot.board.server.setup import open_board
open_board(Path(sys.argv[1]))
from allauth.mfa.models import Authenticator
from gluepot.board.accounts.models import ApiKey, Member
from gluepot.board.server.database import close_database
other = Member.objects.create_user("other@example.org")
for number in range(5):
    ApiKey.make(other, "first", "read")  # small numbers are tried: none of the keys in use is to be revoked
ann = Member.objects.create_user("ann@example.org")
mo = Member.objects.create_superuser("mo@example.org")
Authenticator.objects.create(user=mo, type="totp", data={"secret": "x"})
print(ApiKey.make(ann, "all", "account")[1], ApiKey.make(mo, "decides", "moderate")[1])
close_database()
"""


@pytest.mark.slow
def test_schemathesis_finds_no_problem_in_the_api_of_accounts(tmp_path: Path) -> None:
    with TemporaryDirectory(prefix="gluepot-fuzz-", ignore_cleanup_errors=True) as folder:
        make_board(Path(folder))
        made = subprocess.run([sys.executable, "-c", KEYS, folder], capture_output=True, text=True, env=without_board(), check=True)
        with served(Path(folder), GLUEPOT_CALLS_A_MINUTE="1000000", GLUEPOT_UPLOADS_A_MINUTE="1000000") as address:
            member, moderator = (f'[headers]\nAuthorization = "Bearer {key}"\n' for key in made.stdout.split())
            described = f"{address}/api/my/openapi.json"
            fuzz(described, member, tmp_path, 1, "--exclude-path-regex", "moderation")
            fuzz(described, moderator, tmp_path, 1, "--include-path-regex", "moderation")


def fuzz(described: str, settings: str, folder: Path, examples: int = 4, *chosen: str) -> None:
    """Run schemathesis on every operation of the OpenAPI document."""
    pytest.importorskip("schemathesis")
    (folder / "schemathesis.toml").write_text(settings)
    tool = [str(Path(sys.executable).parent / "schemathesis"), "--config-file", "schemathesis.toml"]
    words = [*tool, "run", described, "--max-examples", str(examples), *chosen]
    done = subprocess.run(words, cwd=folder, env={**os.environ, "NO_COLOR": "1"}, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-5000:]
    counted = re.search(r"(\d+) generated, (\d+) passed", done.stdout)
    assert counted, done.stdout[-2000:]
    assert int(counted[1]) == int(counted[2]) > 100
