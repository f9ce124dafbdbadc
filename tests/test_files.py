"""Atomic writing and appending of files."""

import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from gluepot.files import append_atomically, write_atomically

LIMITED = """
import resource, sys
from pathlib import Path
from gluepot.files import {name}
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    {name}(Path(sys.argv[1]), b"x" * 600)
    {name}(Path(sys.argv[1]), b"y" * 1600)
except OSError as error:
    print(error.filename)
"""


@pytest.mark.parametrize("name", ["append_atomically", "write_atomically"])
def test_a_failed_write_is_rolled_back_and_names_the_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / "file"
    code = LIMITED.replace("{name}", name)
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(path)
    assert path.read_bytes() == b"x" * 600
    assert list(tmp_path.iterdir()) == [path]


def test_a_pipe_or_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    path, read = tmp_path / "pipe", []
    os.mkfifo(path)
    reader = Thread(target=lambda: read.append(path.read_bytes()))
    reader.start()
    write_atomically(path, b"content")
    reader.join(timeout=5)
    assert read == [b"content"]
    assert path.is_fifo()


def test_lines_of_concurrent_writers_do_not_interleave(tmp_path: Path) -> None:
    path = tmp_path / "file"
    writers = [Thread(target=lambda n=n: [append_atomically(path, b"%d" % n * 5000 + b"\n") for _ in range(20)]) for n in range(4)]  # type: ignore[misc]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert sorted(path.read_bytes().splitlines()) == sorted(b"%d" % n * 5000 for n in range(4) for _ in range(20))


def test_a_link_in_place_of_the_temporary_file_is_not_followed(tmp_path: Path) -> None:
    precious, path = tmp_path / "precious", tmp_path / "run" / "scores.json"
    precious.write_bytes(b"precious")
    path.parent.mkdir()
    (path.parent / f".{path.name}.{os.getpid()}").symlink_to(precious)
    write_atomically(path, b"content")
    assert (precious.read_bytes(), path.read_bytes(), path.is_symlink()) == (b"precious", b"content", False)


def test_nothing_is_appended_through_a_link(tmp_path: Path) -> None:
    precious, path = tmp_path / "precious", tmp_path / "log.txt"
    precious.write_bytes(b"precious")
    path.symlink_to(precious)
    with pytest.raises(OSError, match="symbolic links"):
        append_atomically(path, b"a line\n")
    assert precious.read_bytes() == b"precious"
