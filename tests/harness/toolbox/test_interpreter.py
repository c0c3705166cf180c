"""The copied interpreter: it uses nothing that lies outside its folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.toolbox import ToolboxError, elf, interpreter
from tests.harness.toolbox.conftest import Place

pytestmark = pytest.mark.rotating(3)

MAPS = """
for line in open("/proc/self/maps"):
    if ".so" in line: print(line.split()[-1])
"""
MAPPED = f"""
import ssl, sqlite3, ctypes, lzma, bz2, zlib, hashlib, uuid, curses, readline, asyncio, pwd, socket
pwd.getpwuid(0); socket.getaddrinfo("localhost", 80)
{MAPS}
"""


def ask(place: Place, code: str, **env: str) -> str:
    argv = [str(place.toolbox.python), "-c", code]
    return subprocess.check_output(argv, text=True, env={**os.environ, **env})


@pytest.mark.slow
def test_every_library_is_a_copied_one(place: Place) -> None:
    folder = place.toolbox.python.parent.parent
    mapped = {Path(line) for line in ask(place, MAPPED).split()}
    outside = {path for path in mapped if not path.is_relative_to(folder)}
    assert len(mapped) > 20
    assert not outside


@pytest.mark.slow
def test_what_wheels_may_need_is_loaded_at_the_start(place: Place) -> None:
    mapped = {Path(line).name for line in ask(place, MAPS).split()}
    assert set(elf.PRELOADED) <= mapped


@pytest.mark.rotating(4)
def test_it_knows_where_it_is_and_starts_itself(place: Place) -> None:
    folder = place.toolbox.python.parent.parent
    code = "import subprocess, sys; print(sys.prefix, subprocess.check_output([sys.executable, '-c', 'import sys; print(sys.executable)'], text=True))"
    assert ask(place, code).split() == [str(folder), str(place.toolbox.python)]


def test_children_inherit_nothing(place: Place) -> None:
    code = "import os; print(sorted(os.environ))"
    env = {"PATH": "/usr/bin:/bin"}
    argv = [str(place.toolbox.python), "-I", "-c", code]
    said = subprocess.check_output(argv, text=True, env=env)
    assert set(eval(said)) <= {"PATH", "LC_CTYPE"}


def test_its_standard_library_is_compiled(place: Place) -> None:
    code = "import json, os; print(json.__cached__, os.path.exists(json.__cached__))"
    assert ask(place, code).split()[1] == "True"


def test_a_second_copy_is_the_first(place: Place) -> None:
    said: list[str] = []
    found = interpreter.find([place.toolbox.facts["interpreter"]["version"].rpartition(".")[0]])
    made = interpreter.copy(found, place.boxes.folder, said.append)
    assert made.executable == place.toolbox.python
    assert said == []


def test_a_version_that_is_not_there_tells_how_to_get_it() -> None:
    with pytest.raises(ToolboxError) as caught:
        interpreter.find(["3.99"])
    assert "no Python 3.99 on this machine" in str(caught.value)
    assert "uv python install 3.99" in str(caught.value)


def test_the_first_version_that_is_there_is_taken() -> None:
    running = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert interpreter.find(["3.99", running]).version.startswith(f"{running}.")


def test_an_interpreter_without_modules_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "python3.98"
    fake.write_text('#!/bin/sh\necho \'["CPython", "3.98.1", ["json", "ssl"], "/x", "/y"]\'\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with pytest.raises(ToolboxError, match=r"python3\.98: lacks json, ssl"):
        interpreter.find(["3.98"])


def test_a_missing_patchelf_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(ToolboxError, match="patchelf is missing"):
        elf.patchelf("--version")


def test_a_machine_without_glibc_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ToolboxError, match="need a machine with glibc"):
        elf.with_families({"libc.musl-x86_64.so.1": tmp_path})
