"""Toolboxes on the host: whole or not there, whatever ends an installation."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.toolbox import ToolboxError, Toolboxes, check, files, store
from harness.toolbox.recipe import Python, Recipe, Source
from harness.toolbox.store import _facts_of
from tests.harness.toolbox.conftest import Place
from tests.harness.toolbox.programs import Tiny

pytestmark = pytest.mark.rotating(3)

Named = Callable[[str, Recipe], Tiny]


def modes(folder: Path) -> set[str]:
    return {line.split(":")[1] for line in files.find_hidden_files(folder)}


def test_a_toolbox_tells_what_it_holds(place: Place) -> None:
    facts = place.toolbox.facts
    assert facts["packages"] == {"tiny-agent": "1.0"}
    assert facts["programs"] == ["tiny"]
    assert facts["modules"] == ["tiny_agent"]
    assert facts["interpreter"]["version"].startswith("3.")
    assert 0 < place.toolbox.size < 1_000_000
    assert facts["recipe"]["packages"] == [str(place.wheel)]


def test_its_program_runs_in_its_own_environment(place: Place) -> None:
    for program in ("bin/tiny", "env/bin/tiny"):
        said = subprocess.check_output([place.toolbox.path / program], text=True).split()
        assert said == ["tiny", str(place.toolbox.path / "env")]


def test_its_python_finds_its_packages(place: Place) -> None:
    code = "import tiny_agent; print(tiny_agent.__file__)"
    said = subprocess.check_output([place.toolbox.path / "bin/python", "-c", code], text=True)
    assert Path(said.strip()).is_relative_to(place.toolbox.path)


def test_bin_holds_the_named_programs_only(place: Place) -> None:
    assert {path.name for path in (place.toolbox.path / "bin").iterdir()} == {"tiny", "python"}


def test_all_that_runs_is_below_the_mounts(place: Place) -> None:
    real = (place.toolbox.path / "bin/python").resolve()
    assert any(real.is_relative_to(folder) for folder in place.toolbox.mounts)
    assert place.toolbox.python == real


def test_a_second_installation_does_nothing(place: Place) -> None:
    said: list[str] = []
    assert place.boxes.install(place.program, say=said.append) == place.toolbox
    assert [line for line in said if "installing" in line] == []


def test_another_recipe_is_another_toolbox(place: Place) -> None:
    other = Tiny(packages=("tiny-agent==2.0",))
    assert place.boxes.find(other) is None
    assert check.problems(place.boxes, other) == ["tiny-agent 1.0 is not installed"]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Installing is writing one program, where only what surrounds it is tested."""

    def install(_: Python, folder: Path, *__: object) -> dict[str, object]:
        (folder / "bin").mkdir()
        (folder / "bin/tiny").write_text("#!/bin/sh\n")
        (folder / "bin/tiny").chmod(0o700)
        return {"packages": {}, "programs": ["tiny"], "modules": []}

    monkeypatch.setattr(store.python, "install", install)


@pytest.mark.nightly("installs packages or toolboxes")
@pytest.mark.usefixtures("quick")
def test_anyone_may_read_it_whatever_the_umask(place: Place, named: Named) -> None:
    program = named("shy", Python((str(place.wheel),)))
    before = os.umask(0o077)
    try:
        made = place.boxes.install(program)
    finally:
        os.umask(before)
    assert files.find_hidden_files(made.path) == []
    assert (made.path / "bin/tiny").stat().st_mode & 0o777 == 0o755
    (made.path / "toolbox.json").chmod(0o600)
    assert files.find_hidden_files(made.path) == [
        f"{made.path}/toolbox.json: other users may not read it (mode 600)"
    ]


def test_below_root_is_said(tmp_path: Path) -> None:
    assert "which images close" in files.find_hidden_files(Path("/root/toolboxes"))[0]
    assert files.find_hidden_files(tmp_path) == [
        f"{tmp_path}: other users may not read it (mode 700)"
    ]


@pytest.mark.nightly("installs packages or toolboxes")
@pytest.mark.slow
def test_an_installation_that_fails_leaves_nothing(place: Place, named: Named) -> None:
    program = named("gone", Python(("./no-such-package-here.whl",)))
    before = sorted(place.boxes.folder.iterdir())
    with pytest.raises(ToolboxError, match="gone: uv") as caught:
        place.boxes.install(program)
    assert "no-such-package-here" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert sorted(place.boxes.folder.iterdir()) == before


@pytest.mark.nightly("installs packages or toolboxes")
@pytest.mark.usefixtures("quick")
def test_an_installation_that_is_killed_is_half_installed_and_replaced(
    place: Place, named: Named, tmp_path: Path
) -> None:
    program = named("killed", Python((str(place.wheel),)))
    code = f"""
import os, signal
from harness.toolbox import Toolboxes, python
from harness.toolbox.recipe import Python
from tests.harness.toolbox.programs import Tiny
from pathlib import Path
python.install = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
Toolboxes(Path({str(place.boxes.folder)!r})).install(Tiny("killed", recipe=Python(({str(place.wheel)!r},))))
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert place.boxes.find(program) is None
    [listed] = [found for found in place.boxes.list() if found.name == "killed"]
    assert (listed.whole, listed.version) == (False, "1.0")
    assert check.problems(place.boxes, program) == ["killed 1.0 is half installed"]
    assert place.boxes.install(program).whole
    assert place.boxes.half_installed(program) is None


def test_a_toolbox_that_was_moved_is_not_used(place: Place, named: Named) -> None:
    program = named("moved", Python(("x",)))
    path = place.boxes._path(program)
    path.mkdir()
    facts = json.loads((place.toolbox.path / "toolbox.json").read_text())
    (path / "toolbox.json").write_text(json.dumps(facts))
    assert place.boxes.find(program) is None
    (path / "toolbox.json").write_text(json.dumps({**facts, "path": str(path)}))
    assert place.boxes.find(program) is not None


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"path": 3}'])
def test_a_broken_mark_is_no_mark(place: Place, named: Named, text: str) -> None:
    program = named("broken", Python(("x",)))
    path = place.boxes._path(program)
    path.mkdir()
    (path / "toolbox.json").write_text(text)
    assert place.boxes.find(program) is None


@pytest.mark.usefixtures("quick")
def test_force_makes_it_anew(place: Place, named: Named) -> None:
    program = named("again", Python((str(place.wheel),)))
    made = place.boxes.install(program)
    (made.path / "extra").touch()
    assert place.boxes.install(program, force=True).whole
    assert not (made.path / "extra").exists()


def test_remove_takes_all_versions_and_unused_interpreters(place: Place, named: Named) -> None:
    program = named("old", Python(("x",)))
    first, second = (place.boxes._path(Tiny("old", version, ("x",))) for version in "12")
    unused = place.boxes.folder / "python-3.0.0-0123456789ab"
    for path in (first, second, unused):
        path.mkdir()
    gone = place.boxes.remove(program)
    assert gone[:2] == [first, second] and unused in gone
    assert place.boxes.remove(program) == []
    assert place.toolbox.python.exists()


def test_who_waits_is_told_for_what_and_for_whom(tmp_path: Path) -> None:
    said: list[str] = []
    held = threading.Event()
    with files.lock_part(tmp_path, "tiny-agent", said.append):
        boxes = Toolboxes(tmp_path)
        boxes.remove(Tiny("another"), said.append)
        assert said == [], "one agent's installation holds up no other's"

        def remove() -> None:
            boxes.remove(Tiny("tiny-agent"), said.append)
            held.set()

        waiting = threading.Thread(target=remove)
        waiting.start()
        deadline = time.monotonic() + 60
        while not said and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not held.is_set()
    waiting.join(60)
    assert said == [f"tiny-agent: process {os.getpid()} is at it; waiting for it"]


def test_a_source_tree_is_asked_for_where_it_is_needed(
    place: Place, named: Named, tmp_path: Path
) -> None:
    recipe = Python((), source=Source("DIR of the release", "v3", "tiny-agent", ("x",)))
    with pytest.raises(ValueError, match="treed: is installed from a source tree: --source DIR"):
        place.boxes.install(named("treed", recipe))
    with pytest.raises(ValueError, match="is not there"):
        place.boxes.install(named("treed", recipe), tmp_path / "none")
    with pytest.raises(ValueError, match="not from --source"):
        place.boxes.install(place.program, tmp_path)


@pytest.mark.nightly("installs packages or toolboxes")
def test_two_toolboxes_have_their_common_files_once(place: Place, named: Named) -> None:
    program = named("twin", Python((str(place.wheel),), ("3.11", "3.12", "3.13")))
    made = place.boxes.install(program)
    for pattern in (
        "env/lib/python3.*/site-packages/tiny_agent/__init__.py",
        "env/lib/**/tiny_agent/*/*.pyc",
    ):
        (one,) = made.path.glob(pattern)
        other = place.toolbox.path / one.relative_to(made.path)
        assert one.samefile(other), pattern


def test_a_file_is_shared_only_while_somebody_has_it(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.pyc").write_bytes(b"same")
        (tmp_path / name / "y.py").write_bytes(b"same")
        files.share(tmp_path / name, tmp_path / "pool", "*.pyc")
    assert (tmp_path / "a/x.pyc").samefile(tmp_path / "b/x.pyc")
    assert not (tmp_path / "a/y.py").samefile(tmp_path / "b/y.py")
    (tmp_path / "a/x.pyc").unlink()
    files.forget_unshared(tmp_path / "pool")
    assert len(list((tmp_path / "pool").iterdir())) == 1
    (tmp_path / "b/x.pyc").unlink()
    files.forget_unshared(tmp_path / "pool")
    assert list((tmp_path / "pool").iterdir()) == []


def test_a_changed_lock_is_another_toolbox(place: Place, tmp_path: Path) -> None:
    lock = tmp_path / "lock.txt"
    paths = set()
    for text in ("a==1\n", "a==2\n", "a==1\n"):
        lock.write_text(text)
        paths.add(place.boxes._path(Tiny(recipe=Python(("a==1",), lock=str(lock)))))
    assert len(paths) == 2


@pytest.mark.nightly("installs packages or toolboxes")
def test_what_a_lock_does_not_have_is_not_installed(
    place: Place, named: Named, tmp_path: Path
) -> None:
    """A file of another digest than the lock's is refused, whatever its version says."""
    lock = tmp_path / "lock.txt"
    lock.write_text(f"tiny-agent @ {place.wheel.as_uri()} --hash=sha256:{'0' * 64}\n")
    recipe = Python(("tiny-agent==1.0",), ("3.11", "3.12", "3.13"), lock=str(lock))
    with pytest.raises(ToolboxError, match="Computed"):
        place.boxes.install(named("wrong", recipe))
    digest = hashlib.sha256(place.wheel.read_bytes()).hexdigest()
    lock.write_text(f"tiny-agent @ {place.wheel.as_uri()} --hash=sha256:{digest}\n")
    assert place.boxes.install(named("right", recipe)).facts["programs"] == ["tiny"]


def test_an_agent_called_python_is_refused(place: Place) -> None:
    with pytest.raises(ValueError, match="cannot be called 'python'"):
        place.boxes.find(Tiny("python"))


def test_hostile_names_stay_in_the_folder(place: Place) -> None:
    for name, version in (("../../etc/x", "1"), ("a b", "1/../.."), ("é", "1-2")):
        path = place.boxes._path(Tiny(name, version))
        assert path.parent == place.boxes.folder
        assert path.name.isascii()


def test_a_toolbox_keeps_the_identity_that_it_had_before_fields_were_renamed() -> None:
    recipe = Python((), source=Source("DIR of the release", "v3", "tiny-agent", ("x",)))
    source = {
        "told": "DIR of the release",
        "tag": "v3",
        "package": "tiny-agent",
        "paths": ("x",),
    }
    assert _facts_of(recipe)["source"] == source
