"""Gold's outcomes ship with a pack, and are used only where nothing that they depend on differs."""

from __future__ import annotations

import base64
import json
import os
import shutil
import tarfile
import time
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.command import ExecResult
from harness.grade import fixed_program, outcomes, reference
from harness.grade.environment import Environment
from harness.grade.grader import Grader
from harness.grade.ports import MemoryCache
from harness.grade.version import GRADER_VERSION
from harness.sandbox import archive
from harness.sandbox.base import Backend
from images.builder import recipe
from images.content import ImageContent
from tasks.loader import PACKS, Task, TaskError, load_pack, load_task
from tests.mini import Mini

HERE = Environment("arena/env:x", "identity")
TAR = archive.pack({"tests/run.sh": b"check"}, 0o755, 5.0)
SUITE = {"outcomes": {"one": "passed"}, "unstable": [], "status": 0, "complete": True}


class Machine:
    """A backend whose image has some packages; counts how often outcomes were taken on it."""

    name = "fake"

    def __init__(self) -> None:
        self.packages = b"gcc 12.2.0-14 amd64\n"
        self.status = 0
        self.taken = self.observed = 0

    def resolve(self, image: str) -> str:
        return f"digest of {image} with {self.packages!r}"

    def content_of(self, image: str) -> ImageContent:
        return ImageContent(image)

    def create(self, image: str, limits: Any) -> Any:
        done = ExecResult(self.status, self.packages, 0.1)
        return SimpleNamespace(start=lambda: None, stop=lambda: None, exec=lambda command: done)

    def take(self, *_: Any) -> dict[str, Any]:
        self.taken += 1
        tar = base64.b64encode(TAR).decode()
        gone: list[str] = []
        crash = {"poc": None, "poc_via": "", "poc_historical": False}
        held: dict[str, Any] = {
            "self_touched": [],
            "symbols": [],
            "symbols_of_tests": [],
            "words": [],
            "compiled_tests": {"units": [], "headers": []},
        }
        return {"suite": SUITE, "oracle_tar": tar, "oracle_removed": gone, **crash, **held}

    def whole(self, task: Task) -> dict[str, Any]:
        return {**self.take(), "fixed": self.observe(as_backend(self), task)}

    def observe(self, _: Backend, task: Task, *__: Any) -> dict[str, Any]:
        self.observed += 1
        seen = {"ending": 0, "control": False, "around": [], "suite": None, "variants": []}
        seen["calls"] = []
        return {"digest": task.fixed_digest, **seen}


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine()
    monkeypatch.setattr(reference, "_take", machine.take)
    monkeypatch.setattr(fixed_program, "observe", machine.observe)
    return machine


@pytest.fixture
def task(mini: Mini, tmp_path: Path) -> Task:
    """A task of a pack with outcomes that were taken on a machine like the test's."""
    pack = tmp_path / "pack"
    shutil.copytree(mini.folder, pack)
    task = load_pack(pack).tasks[0]
    outcomes.ship(as_backend(Machine()), task, MemoryCache(), Machine().whole(task))
    return task


def as_backend(machine: Machine) -> Backend:
    return machine  # type: ignore[return-value]


def refer(machine: Machine, task: Task, shipped: bool = True) -> reference.Reference:
    return reference.reference(as_backend(machine), task, HERE, MemoryCache(), shipped)


def test_what_ships_is_used_where_nothing_differs(machine: Machine, task: Task) -> None:
    found = refer(machine, task)
    assert machine.taken == machine.observed == 0
    assert found.passed_tests == ["one"]
    assert archive.unpack(found.files.tar) == {"tests/run.sh": b"check"}


@pytest.mark.parametrize("name", ["solution/fixed.patch", "oracle/neighbours.json"])
def test_what_comes_later_changes_only_what_hangs_on_it(
    machine: Machine, task: Task, name: str
) -> None:
    (task.folder / name).write_bytes(b"another\n")
    refer(machine, load_task(task.folder))
    assert (machine.taken, machine.observed) == (0, 1)


def gold(task: Task, machine: Machine, patch: pytest.MonkeyPatch) -> None:
    path = task.folder / "solution/gold.patch"
    path.write_bytes(path.read_bytes() + b"\n")


def facts(task: Task, machine: Machine, patch: pytest.MonkeyPatch) -> None:
    path = task.folder / "task.toml"
    path.write_text(path.read_text().replace("timeout = 8", "timeout = 9"))


def packages(task: Task, machine: Machine, patch: pytest.MonkeyPatch) -> None:
    machine.packages = b"gcc 12.2.0-15 amd64\n"


def no_packages(task: Task, machine: Machine, patch: pytest.MonkeyPatch) -> None:
    machine.status = 127


def grader(task: Task, machine: Machine, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(outcomes, "GRADER_VERSION", GRADER_VERSION + 1)


def dockerfile(task: Task, machine: Machine, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(outcomes, "recipe", lambda image: f"another than {recipe(image)}")


def image_of_others(task: Task, machine: Machine, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(outcomes, "recipe", lambda image: "")


def content(task: Task, machine: Machine, patch: pytest.MonkeyPatch) -> None:
    path = outcomes.place(task)
    kept = json.loads(path.read_bytes())
    kept["outcomes"]["suite"]["outcomes"]["one"] = "failed"
    path.write_text(json.dumps(kept))


def archive_in_it(task: Task, machine: Machine, patch: pytest.MonkeyPatch) -> None:
    path = outcomes.place(task)
    kept = json.loads(path.read_bytes())
    kept["outcomes"]["oracle_tar"] = "AAAA"
    kept["digest"] = outcomes._digest(kept["outcomes"])
    path.write_text(json.dumps(kept))


def cut_short(task: Task, machine: Machine, patch: pytest.MonkeyPatch) -> None:
    outcomes.place(task).write_bytes(outcomes.place(task).read_bytes()[:100])


def not_there(task: Task, machine: Machine, patch: pytest.MonkeyPatch) -> None:
    outcomes.place(task).unlink()


Change = Callable[[Task, Machine, pytest.MonkeyPatch], None]
CHANGES = (gold, facts, packages, no_packages, grader, dockerfile, image_of_others)
DAMAGE = (content, archive_in_it, cut_short, not_there)


@pytest.mark.parametrize("change", (*CHANGES, *DAMAGE))
def test_they_are_taken_anew_where_one_thing_differs(
    change: Change, task: Task, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(task, machine, monkeypatch)
    assert refer(machine, load_task(task.folder)).passed_tests == ["one"]
    assert machine.taken == 1


def test_a_check_does_not_take_the_packs_word_for_them(machine: Machine, task: Task) -> None:
    refer(machine, task, shipped=False)
    assert machine.taken == 1


def test_the_oracles_files_are_newer_than_what_was_compiled(machine: Machine, task: Task) -> None:
    """Files of an older time than the objects in the environment would not be compiled again."""
    began = time.time()
    for shipped in (True, False):
        tar = refer(machine, task, shipped).files.tar
        with tarfile.open(fileobj=BytesIO(tar)) as opened:
            member = opened.getmember("tests/run.sh")
        assert (member.mtime >= began - 1, member.mode) == (True, 0o755)


def test_what_is_written_is_the_same_each_time(machine: Machine, task: Task) -> None:
    """Whoever writes them anew sees in the difference what has changed, and not when it was done."""
    before = outcomes.place(task).read_bytes()
    later = archive.set_mtime(TAR, time.time())
    took = {**machine.whole(task), "oracle_tar": base64.b64encode(later).decode()}
    outcomes.ship(as_backend(machine), task, MemoryCache(), took)
    assert outcomes.place(task).read_bytes() == before


def test_what_cannot_be_written_is_told(machine: Machine, task: Task) -> None:
    machine.packages = b""
    with pytest.raises(TaskError, match="cannot tell the image's packages"):
        outcomes.ship(as_backend(machine), task, MemoryCache(), machine.take())
    shutil.rmtree(outcomes.place(task).parent)
    outcomes.place(task).parent.write_text("a file")
    with pytest.raises(TaskError, match=f"outcomes{os.sep}mini-twice.json: "):
        outcomes.ship(as_backend(Machine()), task, MemoryCache(), machine.take())


def test_outcomes_in_an_image_of_a_recipe_ship_by_its_name_and_its_packages(
    machine: Machine, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On another machine it has another id; an image that anybody else made has no key."""
    image = "arena/oss-fuzz/brook:0123456789abcdef"
    where = task.spec.environment.model_copy(update={"image": image})
    real = replace(task, spec=task.spec.model_copy(update={"environment": where}))
    cache = MemoryCache()
    assert outcomes.key(as_backend(machine), real, cache) == ""
    names = [image, image, "arena/oss-fuzz/brook:fedcba9876543210"]
    keys = []
    for number, name in enumerate(names):
        monkeypatch.setattr(machine, "resolve", lambda image, number=number: f"sha256:{number}")
        monkeypatch.setattr(machine, "content_of", lambda id_, name=name: ImageContent(name, "1f"))
        keys.append(outcomes.key(as_backend(machine), real, MemoryCache()))
    machine.packages = b"gcc 13\n"
    keys.append(outcomes.key(as_backend(machine), real, MemoryCache()))
    assert keys[0] == keys[1] != "" and len(set(keys)) == 3


def test_all_of_the_starter_pack_ship() -> None:
    pack = load_pack("starter")
    shipping = {path.stem for path in (PACKS / "starter" / outcomes.FOLDER).iterdir()}
    assert shipping >= {task.id for task in pack.tasks_of_kinds()}


@pytest.mark.nightly("gold is taken anew for each task of the pack")
@pytest.mark.parametrize(
    "task",
    [pytest.param(task, id=task.id) for task in load_pack("starter").tasks_of_kinds()],
)
def test_what_ships_is_what_is_taken(task: Task, docker: Backend) -> None:
    cache = MemoryCache()
    kept = outcomes.load_shipped(docker, task, cache)
    if kept is None:
        pytest.skip("the image's packages are newer than the pack's outcomes")
    grader = Grader(docker, cache, shipped=False)
    _, found = grader.ready(task)
    assert (found.suite, found.poc_via) == (kept["suite"], kept["poc_via"])
    assert found.poc is not None and found.poc["kind"] == kept["poc"]["kind"]
    assert archive.unpack(found.files.tar) == archive.unpack(base64.b64decode(kept["oracle_tar"]))
