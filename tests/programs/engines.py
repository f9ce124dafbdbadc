"""Fixtures of a container engine and an image registry; tests are skipped with the reason if no engine runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.programs.images import failure_to_start, remove_images, shell_layer, write_image
from tests.programs.registries import Registry, serve_registry, trust

from gluepot.errors import GluepotError
from gluepot.programs.containers.engines import ContainerEngine, find_engine


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ContainerEngine]:
    """Engine that a worker uses on this machine."""
    try:
        found = find_engine()
    except GluepotError as error:
        pytest.skip(str(error))
    if reason := failure_to_start(found, write_image(tmp_path_factory.mktemp("probe") / "image.tar", [shell_layer("exit 0")])):
        pytest.skip(reason)
    yield found
    remove_images(found)


@pytest.fixture
def registry(engine: ContainerEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    """Registry whose images are removed from the engine after the test, which must leave no container."""
    with serve_registry() as served:
        monkeypatch.setenv("CONTAINERS_REGISTRIES_CONF", str(trust(served, tmp_path / "registries.conf")))
        yield served
        images = [f"{served.address}/model@{digest}" for digest in served.manifests]
        fetched = [image for image in images if not engine.ask("image", "inspect", image).returncode]
        left = [engine.ask("ps", "--all", "--quiet", "--filter", f"ancestor={engine.image_id(image)}").stdout for image in fetched]
        engine.ask("image", "rm", *fetched)
    assert not "".join(left).split()
