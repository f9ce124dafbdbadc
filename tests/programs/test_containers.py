"""Images run by bubblewrap and by every available engine: limits, reports, fetching, and untrusted archives."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.programs.images import ANSWER, failure_to_start, layer, remove_images, shell_layer, write_image

from gluepot.cli import main
from gluepot.errors import GluepotError, WrongUse
from gluepot.models.container import Container
from gluepot.programs.containers.archives import ImageArchive
from gluepot.programs.containers.engines import ENGINES, ContainerEngine, find_engine, try_engine
from gluepot.programs.containers.group import ContainerGroup
from gluepot.programs.containers.probing import probe_container
from gluepot.programs.containers.sandbox import ContainerSandbox
from gluepot.programs.containers.unpacking import unpack
from gluepot.programs.execution import SELDOM, Outcome, Program, run_program
from gluepot.programs.limits import MIB, Limits
from gluepot.records import Example
from gluepot.tasks.declarations import find

TASK = find("pocket/stance-sv")[1]
HOSTILE = {
    "fork bomb": ("f() { f | f & }; f; while :; do :; done", "processes"),
    "memory": ("x=0123456789abcdef; while :; do x=$x$x; done", "memory"),
    "disk": ("x=0123456789abcdef; x=$x$x$x$x; while :; do echo $x$x$x$x$x$x; done > /tmp/x; while :; do :; done", "disk"),
    "output": ("while :; do echo 0123456789abcdef0123456789abcdef; done", "output"),
    "complaints": ("while :; do echo 0123456789abcdef0123456789abcdef >&2; done", "output"),
    "clock": ("trap '' TERM; while read -r line; do :; done; while :; do :; done", "time"),
    "processor": ("while :; do :; done", "cpu-time"),
}
TELLS = r"""
for place in /own /bin/own /dev/own /proc/own /var/own; do (echo x > $place) 2>/dev/null && echo "wrote $place"; done
echo x > /tmp/own && read -r back < /tmp/own && echo "kept $back"
(read -r line < /etc/shadow) 2>/dev/null && echo shadow
while read -r name value; do
    case $name in Uid:|CapEff:|NoNewPrivs:) echo "$name" $value;; esac
done < /proc/self/status
while read -r name rest; do case $name in lo:|Inter-*|face*) ;; *) echo "interface $name";; esac; done < /proc/self/net/dev
echo "$MINE $HOME ${SECRET-no secret} $1 $2"
"""


@pytest.fixture(scope="module", params=["bubblewrap", *ENGINES])
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Every sandbox available here; an engine may reply and still be unable to start a container."""
    name = str(request.param)
    if name == "bubblewrap":
        if shutil.which("bwrap") is None:
            pytest.skip("needs bubblewrap: apt-get install bubblewrap")
    elif not isinstance(found := try_engine(name), ContainerEngine):
        pytest.skip(found)
    elif reason := failure_to_start(found, image(tmp_path_factory.mktemp("probe"), "exit 0")):
        pytest.skip(reason)
    yield name
    if name != "bubblewrap":
        remove_images(find_engine(name))


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("GLUEPOT_CACHE", str(folder))
    monkeypatch.setenv("SECRET", "key")
    return folder


def image(tmp_path: Path, program: str) -> Path:
    return write_image(tmp_path / "image.tar", [shell_layer(program)])


def run(path: Path, engine: str, **limits: int) -> tuple[Outcome, Program]:
    program = Container("container", str(path), 0, engine=engine, **limits).program(4)
    return run_program(program), program


def test_answers_of_an_image_are_read_like_those_of_a_command(tmp_path: Path, engine: str) -> None:
    assert TASK is not None
    items = [Example(str(number), {"text": "x"}) for number in range(3)]
    answers = Container("container", str(image(tmp_path, ANSWER)), 0, engine=engine).predict(TASK, items)
    assert [answer.output for answer in answers] == [TASK.labels[0]] * 3


def test_an_image_can_write_only_temporary_files_and_has_no_privileges(tmp_path: Path, engine: str) -> None:
    outcome, program = run(image(tmp_path, TELLS), engine)
    assert outcome.failure(program) == ""
    told = [line.split() for line in outcome.output.decode().splitlines()]
    uid = next(words for words in told if words[0] == "Uid:")
    assert uid[1:] == ["65534"] * 4
    assert [words for words in told if words != uid] == [
        ["kept", "x"],
        ["CapEff:", "0000000000000000"],
        ["NoNewPrivs:", "1"],
        ["yes", "/tmp", "no", "secret", "--batch-size", "4"],
    ]


@pytest.mark.parametrize("name", HOSTILE)
def test_an_image_that_exceeds_a_limit_is_ended_and_the_limit_named(
    name: str, tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, limit = HOSTILE[name]
    monkeypatch.setattr("gluepot.models.command.FENCED", Limits(output=2 * MIB))
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    most = {"time": {"time_limit": 3}, "cpu-time": {"cpu_limit": 1}}.get(limit, {})
    outcome, program = run(image(tmp_path, text), engine, **{"time_limit": 60, **most}, memory_limit=100, process_limit=20, disk_limit=4)
    assert outcome.breach == limit, outcome
    assert outcome.failure(program).startswith(str(tmp_path / "image.tar"))
    assert not left(program)
    assert list(here.iterdir()) == [], "nor a note in the folder we are in"


def left(program: Program) -> list[str]:
    """Return the containers of this run that an engine still has, and the folder of their notes."""
    container = program.fence.get("container")
    if not container:
        return []
    named = (
        ContainerEngine("any", container["engine"]).ask("ps", "--all", "--quiet", "--filter", f"name={container['name']}").stdout.split()
    )
    return [*named, *([container["folder"]] if Path(container["folder"]).exists() else [])]


def test_memory_and_processor_time_are_those_of_the_container(tmp_path: Path, engine: str) -> None:
    """The program holds 64 MiB in one variable; while doubling it, the shell briefly holds it twice."""
    text = "x=0123456789abcdef; n=0; while [ $n -lt 22 ]; do x=$x$x; n=$((n+1)); done; n=0; while [ $n -lt 300000 ]; do n=$((n+1)); done"
    outcome, program = run(image(tmp_path, text), engine)
    assert outcome.failure(program) == ""
    assert 64 * MIB < outcome.peak < 200 * MIB
    assert 0.05 < outcome.cpu_seconds < 30


def test_a_program_that_ends_between_two_samples_is_measured(tmp_path: Path, engine: str) -> None:
    """Memory is sampled only ten times a second while time is measured."""
    program = replace(Container("container", str(image(tmp_path, "exit 0")), 0, engine=engine).program(4), pace=SELDOM)
    outcome = run_program(program)
    assert outcome.failure(program) == ""
    assert outcome.peak > 0
    assert outcome.cpu_seconds > 0


def test_a_program_killed_by_the_kernel_between_two_samples_exceeded_its_limit(tmp_path: Path, engine: str) -> None:
    fenced = Container("container", str(image(tmp_path, HOSTILE["memory"][0])), 0, engine=engine, memory_limit=100).program(4)
    program = replace(fenced, pace=(60.0, 1.0))
    outcome = run_program(program)
    assert (outcome.breach, left(program)) == ("memory", []), outcome


def test_control_groups_are_reread_until_a_process_has_joined_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine moves a process into its groups one by one; until then it is in the groups of the engine."""
    monkeypatch.setattr("gluepot.programs.containers.group.PROC", tmp_path / "proc")
    monkeypatch.setattr("gluepot.programs.containers.group.ROOT", tmp_path / "groups")
    found = {"memory": "memory.stat", "pids": "pids.max", "cpuacct": "cpuacct.usage"}
    for place in (f"{name}/{group}/{file}" for name, file in found.items() for group in ("daemon", "docker/1f")):
        (tmp_path / "groups" / place).parent.mkdir(parents=True)
        (tmp_path / "groups" / place).touch()
    (tmp_path / "proc").mkdir()
    group = ContainerGroup({"engine": "/bin/false", "name": "none", "folder": str(tmp_path / "notes")})
    (tmp_path / "notes" / "number").write_text("1f")
    (tmp_path / "proc" / "7").mkdir()
    for joined in (["pids"], ["pids", "memory"], [*found]):
        lines = [f"{number}:{name}:/{'docker/1f' if name in joined else 'daemon'}" for number, name in enumerate(found)]
        (tmp_path / "proc" / "7" / "cgroup").write_text("\n".join(lines))
        group.tree()
        places = [group.memory, group.processes, group.cpu]
        assert {place.relative_to(tmp_path / "groups").as_posix() for place in places if place} == {f"{name}/docker/1f" for name in joined}


def test_an_image_accepts_the_sandbox_option_and_cannot_run_without_it(
    tmp_path: Path, engine: str, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["--sandbox", "--engine", engine, "--out", str(tmp_path / "run"), "--json"]
    assert main(["evaluate", f"container:{image(tmp_path, ANSWER)}", "pocket/stance-sv", *words]) == 0
    assert json.loads(capfd.readouterr().out)["scores"]
    with pytest.raises(WrongUse, match="in the sandbox or not at all"):
        Container("container", str(image(tmp_path, ANSWER)), 0, engine=engine, sandbox=False)


def test_an_image_is_measured(tmp_path: Path, engine: str, capfd: pytest.CaptureFixture[str]) -> None:
    path = image(tmp_path, ANSWER)
    words = ["--records", "40", "--repeats", "1", "--batch-size", "4", "--out", str(tmp_path / "out"), "--engine", engine, "--json"]
    assert main(["measure", f"container:{path}", "pocket/stance-sv", *words]) == 0
    [row] = json.loads(capfd.readouterr().out)["measurements"]
    assert row["sandbox"].startswith(engine)
    assert row["sandbox"].endswith(f"image sha256:{ImageArchive(path).config.number[:12]}")
    assert row["throughput"] > 0
    assert row["memory_gib"] > 0
    assert row["quality"]["n"] == 40


def test_every_limit_is_passed_to_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    limits = Limits(memory=100 * MIB, processes=20, disk=5 * MIB)
    fenced = ContainerSandbox(ContainerEngine("docker", "/bin/docker", "28"), "sha256:1f", limits).fence(
        Program(("mine:1", "--batch-size", "4"))
    )
    text = " ".join(fenced.words)
    for part in (
        *("--network none", "--read-only", "--cap-drop ALL", "--security-opt no-new-privileges", "--user 65534:65534", "--pull never"),
        *("--memory 104857600 --memory-swap 104857600", "--pids-limit 20", "size=5242880", "--shm-size 5242880", "--ipc private"),
        *("--log-driver none", "--ulimit=nofile=1024:1024", "--env OMP_NUM_THREADS=2", "sha256:1f --batch-size 4"),
    ):
        assert part in text
    assert fenced.title == "mine:1"


def test_an_image_is_fetched_by_digest_only_if_missing(tmp_path: Path) -> None:
    image = f"example.org/mine@sha256:{'1f' * 32}"
    starter = tmp_path / "docker"
    starter.write_text(
        f"""#!/bin/sh
echo "$@" >>{tmp_path}/asked
case "$1" in
    pull) [ -e {tmp_path}/offline ] && {{ echo "no route to example.org" >&2; exit 1; }}; touch {tmp_path}/fetched;;
    image) [ -e {tmp_path}/fetched ] || exit 1; echo sha256:2e;;
esac
"""
    )
    starter.chmod(0o755)
    engine = ContainerEngine("docker", str(starter))
    (tmp_path / "offline").touch()
    with pytest.raises(GluepotError, match=r"docker cannot fetch example.org/mine@sha256:1f1f.*: no route to example.org"):
        engine.fetch(image)
    (tmp_path / "offline").unlink()
    assert engine.fetch(image) == "sha256:2e"
    assert engine.fetch(image) == "sha256:2e"
    assert (tmp_path / "asked").read_text().count(f"pull --quiet {image}") == 2


def test_a_container_without_a_recorded_id_is_removed_by_name(tmp_path: Path) -> None:
    starter = tmp_path / "docker"
    starter.write_text(f'#!/bin/sh\necho "$@" >>{tmp_path}/asked\n')
    starter.chmod(0o755)
    group = ContainerGroup({"engine": str(starter), "name": "mine", "folder": str(tmp_path / "notes")})
    removals = "rm --force --volumes mine"
    group.end()
    group.end()
    assert (tmp_path / "asked").read_text().splitlines().count(removals) == 2, "it may have been made in between"
    (tmp_path / "notes" / "number").write_text("1f")
    group.end()
    group.end()
    assert (tmp_path / "asked").read_text().splitlines().count(removals) == 3
    group.remove()
    assert not (tmp_path / "notes").exists()


def test_a_probe_detects_an_engine_that_cannot_start_containers(tmp_path: Path) -> None:
    starter = tmp_path / "docker"
    starter.write_text(
        f"""#!/bin/sh
case "$1" in
    image) [ -e {tmp_path}/made ] || exit 1; echo sha256:2e;;
    import) cat >{tmp_path}/made;;
    run) echo "$@" >>{tmp_path}/asked; [ -e {tmp_path}/mended ] || {{ echo "no control groups here" >&2; exit 126; }};;
esac
"""
    )
    starter.chmod(0o755)
    sandbox = ContainerSandbox(ContainerEngine("docker", str(starter)), "sha256:1f")
    with pytest.raises(GluepotError, match=r"docker replies, and starts nothing\. no control groups here"):
        probe_container(sandbox)
    (tmp_path / "mended").touch()
    assert probe_container(sandbox) is sandbox
    for asked in (tmp_path / "asked").read_text().splitlines():
        assert "--network none" in asked
        assert "sha256:2e" in asked
        assert "sha256:1f" not in asked, "nothing of the image runs"


def test_without_an_engine_the_error_names_the_reasons_and_the_alternative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docker").write_text("#!/bin/sh\necho 'Cannot connect to the Docker daemon.' >&2\nexit 1\n")
    (tmp_path / "docker").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GluepotError) as told:
        find_engine()
    assert "docker: Cannot connect to the Docker daemon. podman: not installed." in str(told.value)
    assert "container:image.tar" in str(told.value)
    with pytest.raises(GluepotError, match="no such file"):
        Container("container", "nowhere/image.tar", 0)


def test_whiteouts_remove_files_of_lower_layers_and_links_stay_inside(tmp_path: Path, cache: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    first = layer({"etc/": b"", "etc/a": b"1", "etc/b": b"2", "var/": b"", "var/x": b"3"}, {"way": str(outside), "up": "../../.."})
    second = layer({"etc/.wh.a": b"", "var/.wh..wh..opq": b"", "var/y": b"4", "way/owned": b"5", "up/also": b"6", "../../evil": b"7"})
    root = unpack(ImageArchive(write_image(tmp_path / "image.tar", [first, second])), cache)
    assert list(outside.iterdir()) == []
    assert not (root / "etc" / "a").exists()
    assert (root / "etc" / "b").read_bytes() == b"2"
    assert sorted(path.name for path in (root / "var").iterdir()) == ["y"]
    assert (root / "also").read_bytes() == b"6"
    assert (root / "evil").read_bytes() == b"7"
    assert (root / str(outside).lstrip("/") / "owned").read_bytes() == b"5"
    assert [path.name for path in cache.iterdir()] == [root.name]


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda path: path.write_bytes(b"not a tar"), "no image archive"),
        (lambda path: path.write_bytes(layer({"bin/sh": b""})), "no manifest.json"),
        (lambda path: path.write_bytes(layer({"manifest.json": b"[]"})), "0 images"),
        (lambda path: path.write_bytes(layer({"manifest.json": b"[{}]"})), "list of images cannot be read"),
        (lambda path: path.write_bytes(path.read_bytes().replace(b"first", b"other")), "layer 1 is not the one"),
        (lambda path: write_image(path, [layer({}, hard={"a": "no/such"})]), "cannot be unpacked"),
        (lambda path: write_image(path, [layer({"a/b": b""}, {"l": "l"}), layer({"l/x": b""})]), "too many links"),
    ],
    ids=["no tar", "no list", "no image", "odd list", "changed layer", "lost link", "endless link"],
)
def test_an_invalid_image_is_rejected_and_leaves_nothing_behind(spoil: object, told: str, tmp_path: Path, cache: Path) -> None:
    path = write_image(tmp_path / "image.tar", [layer({"name": b"first"})])
    spoil(path)  # type: ignore[operator]
    with pytest.raises(GluepotError, match=told):
        unpack(ImageArchive(path), cache)
    assert list(cache.iterdir()) == []


def test_an_unseen_container_has_no_measurements(tmp_path: Path) -> None:
    group = ContainerGroup({"engine": "/bin/false", "name": "none", "folder": str(tmp_path / "none")})
    assert (group.tree(), group.held(), group.peak(), group.cpu_seconds([])) == ([], (0, 0, 0), 0, 0.0)
    group.end()
