"""The wheel and the sdist are whole: all files of the project that are kept under git, and no others."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from fnmatch import fnmatch
from pathlib import Path

import pytest

from harness.sandbox.base import Backend
from harness.toolbox import ToolboxError, interpreter
from tests.tiers import lacking

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


@pytest.mark.slow
def test_the_wheel_holds_each_file_of_the_rooms(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        infos = [info for info in wheel.infolist() if ".dist-info/" not in info.filename]
    due = {name for name in tracked() if name.partition("/")[0] in ROOMS}
    assert {info.filename for info in infos} == due
    runnable = {info.filename for info in infos if info.external_attr >> 16 & 0o111}
    assert runnable == {name for name in due if os.access(ROOT / name, os.X_OK)}


@pytest.mark.slow
def test_the_sdist_holds_each_file_of_the_project(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as sdist:
        names = {member.name.partition("/")[2] for member in sdist if member.isfile()}
    assert {name for name in names if not name.startswith(MADE)} == tracked()
    assert "setup.cfg" in names  # the one that setuptools writes


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_type_checkers_are_told_that_a_room_is_typed(room: str) -> None:
    assert (ROOT / room / "py.typed").is_file()


# the wheel, installed elsewhere


class Installed:
    """An environment of its own that has the wheel and the core's dependencies, used from a bare folder."""

    def __init__(self, place: Path, wheel: Path, python: Path) -> None:
        self.folder, self._bin = place / "current", place / "venv" / "bin"
        self.folder.mkdir(parents=True)
        own = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "ARENA_STORE"}
        self._env = {name: value for name, value in os.environ.items() if name not in own}
        self._env["ARENA_HOME"] = str(place / "home")
        subprocess.run([python, "-m", "venv", place / "venv"], env=self._env, check=True)
        done = subprocess.run(
            [*_installer(self.python), wheel],
            env=_index() | self._env,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            lacking("packages of the core", done.stderr.strip()[-300:] or "is there an index?")

    @property
    def python(self) -> Path:
        return self._bin / "python"

    def start(self, *args: str) -> subprocess.Popen[str]:
        command = [str(self._bin / "arena"), *args]
        out = subprocess.PIPE
        return subprocess.Popen(
            command, cwd=self.folder, env=self._env, stdout=out, stderr=out, text=True
        )

    def run(self, *args: str) -> str:
        process = self.start(*args)
        out, err = process.communicate(timeout=600)
        assert process.returncode == 0, err
        return out


def _installer(python: Path) -> list[str | Path]:
    """uv where it is, which takes seconds, or else pip."""
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return [uv, "pip", "install", "--python", python] if uv else [python, "-m", "pip", "install"]


def _index() -> dict[str, str]:
    """What pip knows of an index and certificates, in uv's words."""
    command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    index = {"UV_DEFAULT_INDEX": done.stdout.strip()} if done.returncode == 0 else {}
    return index | ({"SSL_CERT_FILE": os.environ["PIP_CERT"]} if "PIP_CERT" in os.environ else {})


@pytest.fixture(scope="module", params=["3.11", "3.12", "3.13"])
def installed(
    request: pytest.FixtureRequest, built: Path, tmp_path_factory: pytest.TempPathFactory
) -> Installed:
    try:
        found = interpreter.find([request.param])
    except ToolboxError:
        pytest.skip(f"Python {request.param} is not at hand")
    place = tmp_path_factory.mktemp("installed")
    return Installed(place, next(built.glob("*.whl")), found.executable)


@pytest.mark.nightly
def test_an_installed_wheel_shows_the_six_labels(installed: Installed, docker: Backend) -> None:
    out = installed.run("demo", "--task", "brook-include", "--json")
    labels = {entry["agent"]: entry["label"] for entry in json.loads(out)["attempts"]}
    due = {"noop": "NO", "broken": "CE", "stub": "IC", "gold": "CV", "fixed": "C&S"}
    assert labels == {**due, "careless": "CS"}


@pytest.mark.nightly
def test_an_installed_wheel_serves_the_dashboard(installed: Installed) -> None:
    installed.run("tasks", "list")
    server = installed.start("serve", "--port", "0", "--json")
    try:
        assert server.stdout is not None
        url = json.loads(server.stdout.readline())["url"]
        with urllib.request.urlopen(url, timeout=30) as answer:
            assert b"<html" in answer.read()
    finally:
        server.terminate()
        server.communicate(timeout=30)


@pytest.mark.nightly
def test_an_installed_wheel_has_its_rules(installed: Installed) -> None:
    for name, line in (("before", "return 0;"), ("after", "char b[8]; return gets(b) != 0;")):
        (installed.folder / name).mkdir()
        code = f"#include <stdio.h>\nint main(void) {{ {line} }}\n"
        (installed.folder / name / "main.c").write_text(code, "utf-8")
    assert "main.c" in installed.run("sast", "diff", "before", "after")


@pytest.mark.nightly
def test_a_type_checker_sees_the_api_of_an_installed_wheel(installed: Installed) -> None:
    code = (
        "from arena import grade, load_pack\nreveal_type(grade(load_pack('x'), 'y', b'').label)\n"
    )
    (installed.folder / "user.py").write_text(code, "utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--python-executable"]
    done = subprocess.run(
        [*command, installed.python, "user.py"],
        cwd=installed.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert '"str | None"' in done.stdout and done.returncode == 0, done.stdout


@pytest.mark.nightly
def test_the_doctor_of_an_installed_wheel_is_content(installed: Installed) -> None:
    assert all(
        found["ok"] for found in json.loads(installed.run("doctor", "--json")) if found["needed"]
    )


@pytest.mark.nightly("an environment from the index")
def test_the_constraints_of_the_wheel_give_the_measured_versions(
    built: Path, tmp_path: Path
) -> None:
    """By pip, as docs/installing.md says: without them it takes the newest Semgrep and LiteLLM."""
    wheel = next(built.glob("*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extract("arena/constraints.txt", tmp_path)
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv/bin/python"
    constraints = tmp_path / "arena/constraints.txt"
    done = subprocess.run(
        [python, "-m", "pip", "install", "-q", "-c", constraints, wheel],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        lacking("packages of the core", done.stderr.strip()[-300:])
    command = [python, "-m", "arena", "doctor", "--json"]
    env = {**os.environ, "ARENA_HOME": str(tmp_path / "home")}
    out = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    measured = {line["what"]: line for line in json.loads(out.stdout)}["measured with"]
    assert measured["ok"], measured["state"]
