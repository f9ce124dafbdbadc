"""Fixtures shared by all tests: locations of real data, caches and board folders."""

import os
import shutil
import signal
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings
from tests.once import FOLDER

ROOT = Path(__file__).parents[1]


def pytest_configure() -> None:
    """Configure the environment; real data comes from $GLUEPOT_DATA, or from a folder `shared` beside the project.

    The default SIGINT handler is restored for tests of Ctrl-C: background jobs of a script ignore SIGINT, as would their children.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if "PYTEST_XDIST_WORKER" in os.environ:  # tests run in parallel, one core each
        for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
            os.environ.setdefault(name, "1")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright leaves its event loop in the thread of later tests
    os.environ.setdefault("RAY_worker_niceness", "0")  # otherwise its workers yield to other processes
    settings.register_profile("gluepot", deadline=None, suppress_health_check=[HealthCheck.too_slow])  # a busy machine must not fail tests
    settings.load_profile("gluepot")
    if "PYTEST_XDIST_WORKER" not in os.environ:
        os.environ[FOLDER] = mkdtemp(prefix="gluepot-tests-", dir=_memory())
    beside = ROOT.parent / "shared" / "data"
    if "GLUEPOT_DATA" not in os.environ and beside.is_dir():
        os.environ["GLUEPOT_DATA"] = str(beside)


def pytest_unconfigure() -> None:
    if "PYTEST_XDIST_WORKER" not in os.environ:
        shutil.rmtree(os.environ.pop(FOLDER, ""), ignore_errors=True)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Collect doctests from the package only: their collector skips modules that fail to import and would hide the tests in them."""
    found = yield
    return [one for one in found if not isinstance(one, DoctestModule)]


@pytest.fixture(autouse=True)
def nothing_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the suites that other tests opened by path."""
    monkeypatch.setattr("gluepot.tasks.search_path._opened", {})


def _memory() -> Path | None:
    """Return the in-memory file system for database files, if it is writable and has room."""
    memory = Path("/dev/shm")
    return memory if memory.is_dir() and shutil.disk_usage(memory).free > 2**30 and os.access(memory, os.W_OK) else None


@contextmanager
def quick_folder() -> Iterator[Path]:
    """Yield a folder for a board, in memory where there is room, because a database is a thousand small files."""
    with TemporaryDirectory(prefix="gluepot-board-", ignore_cleanup_errors=True, dir=_memory()) as folder:
        yield Path(folder)


@pytest.fixture
def board_place() -> Iterator[Path]:
    """Folder for a board used by one test."""
    with quick_folder() as folder:
        yield folder


@pytest.fixture(scope="session")
def shared_place() -> Iterator[Path]:
    """Folder for the board shared by the tests of one process."""
    with quick_folder() as folder:
        yield folder


@pytest.fixture(scope="session")
def tried_precisions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Precision trials of this machine, shared by all processes of a test run: half a minute each, and always the same result."""
    own = tmp_path_factory.getbasetemp()
    place = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "precision"
    place.mkdir(exist_ok=True)
    return place


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tried_precisions: Path) -> Path:
    """Cache used by one test, except for the shared precision trials."""
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "precision").symlink_to(tried_precisions)
    monkeypatch.setenv("GLUEPOT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Folder with the official files of the suites."""
    folder = Path(os.environ.get("GLUEPOT_DATA", ""))
    if not (folder / "superlim").is_dir():
        pytest.skip("needs the suites' official files: set GLUEPOT_DATA")
    return folder.resolve()


@pytest.fixture(scope="session")
def submissions(real_data: Path) -> Path:
    """Folder with published predictions, beside the data folder."""
    folder = real_data.parent / "submissions"
    if not folder.is_dir():
        pytest.skip("needs published predictions in a folder `submissions` beside $GLUEPOT_DATA")
    return folder


@pytest.fixture(scope="session")
def corpora() -> Path:
    """Folder with real inputs for makers."""
    folder = ROOT.parent / "shared" / "corpora"
    if not folder.is_dir():
        pytest.skip("the corpora that makers are tried on are not here")
    return folder
