"""Adapter for container images, whose program reads items and writes predictions as any other command, always in the sandbox.

container:registry/my-model:1.0        an image in the local Docker or Podman store
container:my-model.tar                 an image as a file (`docker save`), which bubblewrap runs where there is no engine
container:'my-model:1.0 --large'       with arguments for its entry point
"""

from typing import Any

from gluepot.errors import GluepotError, WrongUse
from gluepot.models.caches import cache_root
from gluepot.models.command import TIME_LIMIT, AnySandbox, Command, make_limits
from gluepot.models.names import local_path
from gluepot.programs.containers.archives import ImageArchive
from gluepot.programs.containers.engines import find_engine
from gluepot.programs.containers.sandbox import ContainerSandbox
from gluepot.programs.containers.unpacked import UnpackedSandbox
from gluepot.programs.containers.unpacking import unpack
from gluepot.programs.limits import Limits


class Container(Command):
    """Adapter that runs the image once per task."""

    def __init__(
        self,
        name: str,
        argument: str,
        seed: int,
        batch_size: int | None = None,
        time_limit: int = TIME_LIMIT,
        engine: str = "auto",
        sandbox: bool = True,
        **limits: int | None,
    ) -> None:
        """`sandbox` is accepted as for a command, but cannot be disabled."""
        if not sandbox:
            raise WrongUse("an image runs in the sandbox or not at all.")
        self.engine = engine
        super().__init__(name, argument, seed, batch_size, time_limit, **limits)

    def _make_sandbox(self, fence: dict[str, Any]) -> AnySandbox:
        return find_sandbox(self.own_words[0], self.engine, make_limits(**fence))


def find_sandbox(image: str, wanted: str, limits: Limits) -> AnySandbox:
    """Return the sandbox for an image: an engine for a name; bubblewrap or the requested engine for a file."""
    path = local_path(image)
    if not path.is_file():
        if wanted == "bubblewrap" or _means_file(image):
            raise GluepotError(f"{image}: no such file. bubblewrap runs an image from a file: docker save IMAGE -o image.tar.")
        engine = find_engine(wanted)
        return ContainerSandbox(engine, engine.image_id(image), limits)
    if wanted in ("auto", "bubblewrap"):
        archive = ImageArchive(path)
        if not archive.config.words:
            raise archive.refuse("the image says nothing of what it starts (ENTRYPOINT).")
        return UnpackedSandbox(unpack(archive, cache_root() / "images"), archive.config, limits)
    engine = find_engine(wanted)
    return ContainerSandbox(engine, engine.load(path), limits)


def _means_file(image: str) -> bool:
    return image.endswith((".tar", ".tar.gz", ".tgz")) or image.startswith((".", "/", "~"))
