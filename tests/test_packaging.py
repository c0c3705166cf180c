"""The wheel and the sdist are whole: all files of the project that are kept under git, and no others."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = {"arena", "harness", "images", "parsers", "szz", "tasks"}
IGNORED = [line.strip("/") for line in (ROOT / ".gitignore").read_text("utf-8").split()]
JUNK = [f"{name.replace('*', 'x')}/junk.txt" for name in IGNORED if name not in ("build", "dist")]
MADE = ("PKG-INFO", "setup.cfg", "secure_coding_arena.egg-info/")
BUILD = "from setuptools import build_meta as b; b.build_sdist({0!r}); b.build_wheel({0!r})"


def tracked() -> set[str]:
    """The files that git keeps; without a repository (in an sdist), all that .gitignore lets through."""
    if not (ROOT / ".git").exists():
        return {name for name in _files() if not name.startswith(MADE)}
    command = ["git", "-C", str(ROOT), "ls-files", "-z"]
    listed = subprocess.run(command, capture_output=True, check=True).stdout
    return {name for name in os.fsdecode(listed).split("\0") if name and (ROOT / name).is_file()}


def _files() -> list[str]:
    found = []
    for folder, inner, names in os.walk(ROOT):
        inner[:] = [name for name in inner if not any(fnmatch(name, i) for i in IGNORED)]
        found += [str(Path(folder, name).relative_to(ROOT)) for name in names]
    return found


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist of a copy in which junk lies about, made offline."""
    copy, out = tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("dist")
    for name in tracked():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy / name)
    for place in (f"{room}/{junk}" for room in ("arena", "tasks/packs/starter") for junk in JUNK):
        (copy / place).parent.mkdir(parents=True)
        (copy / place).write_text("left behind", "utf-8")
    command = [sys.executable, "-c", BUILD.format(str(out))]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return out


def test_the_wheel_holds_each_file_of_the_rooms(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        infos = [info for info in wheel.infolist() if ".dist-info/" not in info.filename]
    due = {name for name in tracked() if name.partition("/")[0] in ROOMS}
    assert {info.filename for info in infos} == due
    runnable = {info.filename for info in infos if info.external_attr >> 16 & 0o111}
    assert runnable == {name for name in due if os.access(ROOT / name, os.X_OK)}


def test_the_sdist_holds_each_file_of_the_project(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as sdist:
        names = {member.name.partition("/")[2] for member in sdist if member.isfile()}
    assert {name for name in names if not name.startswith(MADE)} == tracked()
    assert "setup.cfg" in names  # the one that setuptools writes


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_type_checkers_are_told_that_a_room_is_typed(room: str) -> None:
    assert (ROOT / room / "py.typed").is_file()
