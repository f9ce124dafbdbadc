"""Shared by all tests: where the real files are, if they are here at all."""

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
    """Real data is taken from $GLUEPOT_DATA, or from a folder `shared` beside the project.

    Tests that press Ctrl-C need it to be heard: a script's background jobs are born deaf to it, and so would be their children.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if "PYTEST_XDIST_WORKER" in os.environ:  # tests run side by side, a core each
        for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
            os.environ.setdefault(name, "1")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # a browser of Playwright leaves its event loop in the thread that later tests run in
    os.environ.setdefault("RAY_worker_niceness", "0")  # else its workers wait for whatever runs beside them
    settings.register_profile("gluepot", deadline=None, suppress_health_check=[HealthCheck.too_slow])  # a busy machine is no failure
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
    """Examples are looked for in the package alone: they pass over modules that cannot be imported, and tests would go with them unseen."""
    found = yield
    return [one for one in found if not isinstance(one, DoctestModule)]


@pytest.fixture(autouse=True)
def nothing_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """Suites that another test opened by their path are not known by their name."""
    monkeypatch.setattr("gluepot.tasks.search_path._opened", {})


def _memory() -> Path | None:
    """Where files of databases lie best: in memory, if there is room."""
    memory = Path("/dev/shm")
    return memory if memory.is_dir() and shutil.disk_usage(memory).free > 2**30 and os.access(memory, os.W_OK) else None


@contextmanager
def quick_folder() -> Iterator[Path]:
    """A folder for a board: in memory where there is room, because a database is a thousand small files."""
    with TemporaryDirectory(prefix="gluepot-board-", ignore_cleanup_errors=True, dir=_memory()) as folder:
        yield Path(folder)


@pytest.fixture
def board_place() -> Iterator[Path]:
    """A folder for a board of the test's own."""
    with quick_folder() as folder:
        yield folder


@pytest.fixture(scope="session")
def shared_place() -> Iterator[Path]:
    """A folder for the board that the tests of one process share."""
    with quick_folder() as folder:
        yield folder


@pytest.fixture(scope="session")
def tried_precisions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all processes of one test run keep what they tried of this machine's arithmetic: half a minute each, and always the same."""
    own = tmp_path_factory.getbasetemp()
    place = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "precision"
    place.mkdir(exist_ok=True)
    return place


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tried_precisions: Path) -> Path:
    """A cache of the test's own, but for what was tried of the machine."""
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "precision").symlink_to(tried_precisions)
    monkeypatch.setenv("GLUEPOT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with the suites' official files."""
    folder = Path(os.environ.get("GLUEPOT_DATA", ""))
    if not (folder / "superlim").is_dir():
        pytest.skip("needs the suites' official files: set GLUEPOT_DATA")
    return folder.resolve()


@pytest.fixture(scope="session")
def submissions(real_data: Path) -> Path:
    """The folder with published predictions, beside the data."""
    folder = real_data.parent / "submissions"
    if not folder.is_dir():
        pytest.skip("needs published predictions in a folder `submissions` beside $GLUEPOT_DATA")
    return folder


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder with real inputs of makers."""
    folder = ROOT.parent / "shared" / "corpora"
    if not folder.is_dir():
        pytest.skip("the corpora that makers are tried on are not here")
    return folder
