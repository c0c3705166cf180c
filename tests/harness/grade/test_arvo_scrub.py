"""An image in ARVO's form that holds PoC, fuzz targets and histories: nothing of it reaches an agent."""

from __future__ import annotations

import io
import string
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.tracks.repo.leaks import find_unsealed, history_in, secrets_in
from harness.command import Command
from harness.grade.environment import identify, limits_of, prepare, sandbox
from harness.grade.scrub import NotRemoved, expression_of, scrub
from harness.grade.verdict import TaskBroken
from harness.protocols import Sandbox
from harness.sandbox import owner
from harness.sandbox.base import Backend
from tasks.bundle import write_bundle
from tasks.loader import Task, load_pack
from tasks.schema import EnvironmentSpec
from tests.conftest import SMALL
from tests.mini import BASE, Mini
from tests.mini import git as mini_git

IMAGE = "arena/env:test-arvo-full"
ROOT_IMAGE = "arena/env:test-arvo-root"
FILL = """\
set -e
cd /src/mini && git init -q -b main . && git config user.email a@example.org && git config user.name A
git add -A && git commit -q -m vulnerable && mkdir -p build && echo old > build/tool
for other in dependency 'odd name'; do mkdir "/src/$other" && git -C "/src/$other" init -q; done
mkdir -p /src/dependency/lib && echo 'gitdir: ../.git/modules/lib' > /src/dependency/lib/.git
mkdir -p /out/nested && echo target > /out/fuzz && echo x > /out/.hidden && echo x > /out/nested/seed
echo '{}' > /src/mini.srcmap.json && echo secret > /src/notes.txt && echo ls > /tmp/.bash_history
"""
POC = b"twice\nabcdefgh"


@pytest.fixture(scope="module")
def bundle(mini: Mini, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundle")
    write_bundle(mini.folder.parent / "repository", mini.ids, folder)
    return folder / "history.bundle"


@pytest.fixture(scope="module", params=["user", "root"])
def image(request: pytest.FixtureRequest, docker: Backend) -> Iterator[str]:
    """Made by the image's plain user, or by root, as ARVO's are."""
    base = docker.resolve("arena/cpp")
    if request.param == "root":
        text = io.BytesIO(f"FROM {base}\nUSER root\nRUN chown root:root /src /out\n".encode())
        images = docker.client.images  # type: ignore[attr-defined]
        images.build(fileobj=text, tag=ROOT_IMAGE, labels=owner.labels("snapshot"), rm=True)
        base = ROOT_IMAGE
    box = docker.create(base, SMALL)
    box.start()
    try:
        box.put({f"mini/{name}": text.encode() for name, text in BASE.items()}, "/src")
        box.put({"poc": POC}, "/tmp")
        done = box.exec(Command(FILL))
        assert done.ok, done.output
        box.snapshot(f"{IMAGE}-{request.param}", {})
        yield f"{IMAGE}-{request.param}"
    finally:
        box.stop()


def arvo_task(mini: Mini, image: str, bundle: Path, folder: Path, **environment: object) -> Task:
    """The task of `mini` with its history in a bundle, on an image that holds things."""
    (folder / "repositories/mini").mkdir(parents=True)
    (folder / "repositories/mini/history.bundle").write_bytes(bundle.read_bytes())
    task = load_pack(mini.folder).tasks[0]
    (folder / task.id).symlink_to(task.folder)
    content = task.spec.environment.model_dump() | {"image": image} | environment
    spec = task.spec.model_copy(update={"environment": EnvironmentSpec.model_validate(content)})
    return Task(folder / task.id, spec)


@pytest.mark.nightly("an image in ARVO's form for each case")
@pytest.mark.docker
def test_a_scrubbed_environment_holds_the_repository_alone(
    docker: Backend, mini: Mini, image: str, bundle: Path, tmp_path: Path
) -> None:
    remove = ["/src/*.txt", "/src/**/nothing"]
    task = arvo_task(mini, image, bundle, tmp_path, scrub=True, remove=remove)
    with sandbox(docker, prepare(docker, task).image, limits_of(task)) as box:
        listed = box.exec(
            Command("find /src /out /tmp ~ -type f -o -name .git 2>/dev/null | sort", "/")
        )
        left = {p for p in listed.output.decode().split("\n") if "/src/mini/" not in p and p}
        assert not any(
            name in path for path in left for name in ("/src", "/out", "/tmp", "_history")
        )
        assert box.exec(Command("git status --porcelain --ignored", "/src/mini")).output == (
            b"!! build/\n"
        )
        assert box.exec(Command("grep -c old build/tool", "/src/mini")).output == b"0\n"
        assert [*secrets_in(box, task), *history_in(box, task), *find_unsealed(box, task)] == []
        assert box.exec(Command("touch x && make build/tool && git add x", "/src/mini")).ok


@pytest.mark.rotating(2)
@pytest.mark.docker
def test_what_is_left_in_an_image_is_found(
    docker: Backend, mini: Mini, image: str, bundle: Path, tmp_path: Path
) -> None:
    task = arvo_task(mini, image, bundle, tmp_path)
    with sandbox(docker, prepare(docker, task).image, limits_of(task)) as box:
        assert secrets_in(box, task) == ["/tmp/poc is the PoC"]
        assert history_in(box, task) == []
        assert find_unsealed(box, task) == []
        later = Path(tmp_path, "later.bundle")
        mini_git(mini.folder.parent / "repository", "bundle", "create", "-q", str(later), "main")
        box.put({"later": later.read_bytes(), "gold\nx": task.solution("gold")}, "/tmp")
        line = "git init -q --bare 'a b' && git -C 'a b' bundle unbundle /tmp/later && "
        line += (
            "cd mini && git bundle unbundle /tmp/later && git tag x && git config remote.a.url b"
        )
        assert box.exec(Command(line, "/src")).ok
        assert [line.rpartition(" is ")[2] for line in secrets_in(box, task)] == [
            "gold.patch",
            "the PoC",
        ]
        stores = {line.partition(" can be read in ")[2] for line in history_in(box, task)}
        assert stores == {"/src/a b/objects", "/src/mini/.git/objects"}
        said = "\n".join(find_unsealed(box, task))
        for part in ("objects that PVIC does not reach", "refs/tags/x", "remote.a.url"):
            assert part in said
        assert box.exec(Command("rm -rf .git", "/src/mini")).ok
        assert "could not be looked at" in find_unsealed(box, task)[0]


def test_what_is_removed_is_part_of_the_identity(
    docker: Backend, mini: Mini, image: str, bundle: Path, tmp_path: Path
) -> None:
    changes: list[dict[str, object]] = [{}, {"scrub": True}, {"remove": ["/a"]}, {"remove": ["/b"]}]
    tasks = [arvo_task(mini, image, bundle, tmp_path / str(n), **c) for n, c in enumerate(changes)]
    assert len({identify(docker, task).identity for task in tasks}) == len(tasks)


@pytest.mark.rotating(4)
@pytest.mark.docker
def test_what_cannot_be_removed_is_an_error(
    docker: Backend, mini: Mini, image: str, bundle: Path, tmp_path: Path
) -> None:
    task = arvo_task(mini, image, bundle, tmp_path, remove=["/proc/version"])
    with pytest.raises(TaskBroken, match="/proc/version"):
        prepare(docker, task)


def spec_of(**fields: object) -> EnvironmentSpec:
    given = {"image": "x", "workdir": "/src/project", "build": "true", **fields}
    return EnvironmentSpec.model_validate(given)


def paths_in(box: Sandbox) -> set[str]:
    listed = box.exec(Command("find /src /out /tmp -mindepth 1 -type f -print0 2>/dev/null", "/"))
    return set(filter(None, listed.output.decode().split("\0")))


FILES = [
    "src/a.c",
    "src/b+c/a.c",
    "src/b+c/.d/a.c",
    "src/new\nline/a.c",
    "tmp/poc",
    "out/x",
    "out/.y/z",
]
KEPT = {f"/{name}" for name in FILES}


@pytest.mark.nightly("an image in ARVO's form for each case")
@pytest.mark.parametrize(
    ("glob", "gone"),
    [
        ("/src/*.c", {"/src/a.c"}),
        ("/src/**/a.c", {path for path in KEPT if path.endswith("a.c")}),
        ("/src/*/a.c", {"/src/b+c/a.c", "/src/new\nline/a.c"}),
        ("/src/b+c", {"/src/b+c/a.c", "/src/b+c/.d/a.c"}),
        ("/out/*", {"/out/x", "/out/.y/z"}),
        ("/???/poc", {"/tmp/poc"}),
        ("/src/bbc", set()),
        ("/src/aac", set()),
        ("/**/z", {"/out/.y/z"}),
    ],
)
def test_globs_of_remove(glob: str, gone: set[str], box: Sandbox) -> None:
    for name in FILES:
        top, _, rest = name.partition("/")
        box.put({rest: b"x"}, f"/{top}")
    assert paths_in(box) == KEPT
    scrub(box, spec_of(remove=[glob]), empty_workdir=False)
    assert paths_in(box) == KEPT - gone


def test_every_sign_of_a_path_stands_for_itself_in_a_glob() -> None:
    for sign in (set(string.punctuation) | {" ", "ä"}) - set("*?/"):
        words = ["grep", "-Ex", expression_of(f"/a{sign}b")]
        found = subprocess.run(
            words, input=f"/a{sign}b\n/aab\n/ab\n", capture_output=True, text=True
        )
        assert (found.returncode, found.stdout) == (0, f"/a{sign}b\n"), sign


def test_the_workdir_is_emptied_even_where_it_is_a_link(box: Sandbox) -> None:
    box.put({"project/.git/HEAD": b"x", "project/a": b"x", "other/a": b"x"}, "/src")
    scrub(box, spec_of(), empty_workdir=False)
    assert len(paths_in(box)) == 3
    scrub(box, spec_of(), empty_workdir=True)
    assert paths_in(box) == {"/src/other/a"}
    box.exec(Command("rmdir project; ln -s other project", "/src"))
    scrub(box, spec_of(), empty_workdir=True)
    assert paths_in(box) == {"/src/other/a"}
    assert not box.exec(Command("ls -d project", "/src")).ok


def test_scrubbing_keeps_the_repository_that_an_image_holds(box: Sandbox) -> None:
    box.put({"project/.git/HEAD": b"x", "project/x.srcmap.json": b"x", "d/.git/HEAD": b"x"}, "/src")
    scrub(box, spec_of(scrub=True), empty_workdir=False)
    assert paths_in(box) == {"/src/project/.git/HEAD", "/src/project/x.srcmap.json"}


def test_a_file_that_resists_is_named(box: Sandbox) -> None:
    with pytest.raises(NotRemoved, match="/usr/bin/env"):
        scrub(box, spec_of(remove=["/usr/bin/env"]), empty_workdir=False)


@pytest.mark.parametrize("glob", ["src/x", "/src/../x", "/src/$(x)", "/a b", "/", "/src//x", "/'"])
def test_a_glob_that_is_no_plain_absolute_one_is_a_mistake(glob: str) -> None:
    with pytest.raises(ValueError, match="must be an absolute path"):
        spec_of(remove=[glob])
