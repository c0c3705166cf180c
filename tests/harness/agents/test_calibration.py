"""Where the calibration agents leave their lines, and what these do in a header."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from harness.agents import broken, careless
from harness.agents._calibration import HEADERS, INCLUDED, SOURCES
from harness.grade.sast import compare, load_scanner
from harness.protocols import Job
from tasks.loader import Task, TaskError

HEADER = b"#ifndef X_HH\n#define X_HH\nint x(void);\n#endif\n"


def patch(*paths: str) -> bytes:
    lines = (f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+b\n" for path in paths)
    return "".join(
        f"diff --git a/{path} b/{path}\n{one}" for path, one in zip(paths, lines, strict=True)
    ).encode()


def ran(agent: Any, *paths: str) -> list[str]:
    """The commands that the agent runs in a workspace when gold changes these files."""
    seen: list[str] = []

    def run(line: str, _: float) -> SimpleNamespace:
        seen.append(line)
        return SimpleNamespace(ok=True)

    task = SimpleNamespace(
        owned_globs=("tests/**",),
        folder="task",
        solution=lambda _: patch(*paths),
        answer=lambda _: b"",
    )
    box = SimpleNamespace(put=lambda *_: None)
    workspace = SimpleNamespace(exec=run, patch=lambda: b"", box=box)
    agent(cast(Task, task)).solve(cast(Job, SimpleNamespace(workspace=workspace)))
    return seen


@pytest.mark.parametrize(
    ("paths", "chosen"),
    [
        (("src/a.hh",), "src/a.hh"),
        (("src/a.h", "docs/x.md", "src/b.CC"), "src/b.CC"),
        (("tests/t.c", "src/a.inl"), "src/a.inl"),
        (("lib/Makefile.inc", "lib/url.h"), "lib/url.h"),
        (("src/a.inc",), "src/a.inc"),
        (("src/a.c", "src/b.c"), "src/a.c"),
    ],
)
def test_a_source_is_taken_before_a_header(paths: tuple[str, ...], chosen: str) -> None:
    (line,) = ran(broken.PLUGIN, *paths)
    assert line.endswith(f">> {chosen}")


def test_a_gold_that_changes_neither_is_told() -> None:
    with pytest.raises(TaskError, match="changes no C or C"):
        ran(broken.PLUGIN, "tests/t.c", "README.md")


def lines_in(path: str) -> bytes:
    *_, line = ran(careless.PLUGIN, path)
    added = subprocess.run(
        ["sh", "-c", line.rpartition(" >> ")[0]], capture_output=True, check=True
    )
    return added.stdout


@pytest.mark.slow
@pytest.mark.needs("gcc", "g++")
@pytest.mark.parametrize("language", ["c", "c++"])
@pytest.mark.parametrize("path", ["a.hh", "a.c"])
def test_its_lines_are_taken_by_strict_compilers(path: str, language: str, tmp_path: Path) -> None:
    """A header's by two sources of one program, of which one reads it twice."""
    (tmp_path / path).write_bytes(HEADER + lines_in(path))
    objects = []
    for number, times in enumerate((1, 2) if path.endswith("hh") else (1,)):
        made = tmp_path / f"{number}.o"
        text = f'#include "{path}"\n' * times
        flags = ["-Wall", "-Wextra", "-Wmissing-declarations", "-Werror", "-x", language, "-"]
        command = ["gcc", "-c", "-I", str(tmp_path), "-o", str(made), *flags]
        subprocess.run(command, input=text.encode(), check=True, capture_output=True)
        objects.append(str(made))
    command = ["gcc", "-r", "-nostdlib", "-o", str(tmp_path / "all.o"), *objects]
    subprocess.run(command, check=True, capture_output=True)


READ = {
    "c89": '#include "a.hh"\n#include <string.h>\n',
    "namespace": 'namespace x {\n#include "a.hh"\n}\n#include <string>\n#include <cstdio>\n',
    "class": 'struct x {\n#include "a.hh"\n};\n',
    "extern": 'extern "C" {\n#include "a.hh"\n}\n#include <string>\n',
}


@pytest.mark.slow
@pytest.mark.needs("gcc", "g++")
@pytest.mark.parametrize("place", READ)
def test_a_header_s_lines_hold_wherever_it_is_read(place: str, tmp_path: Path) -> None:
    (tmp_path / "a.hh").write_bytes(lines_in("a.hh"))
    standard = ["-x", "c", "-std=c89"] if place == "c89" else ["-x", "c++"]
    strict = ["-Wall", "-Wextra", "-pedantic", "-Wredundant-decls", "-Wold-style-cast", "-Werror"]
    flags = strict if place != "c89" else [flag for flag in strict if "cast" not in flag]
    command = ["gcc", "-O2", "-fsyntax-only", "-I", str(tmp_path), *standard, *flags, "-"]
    subprocess.run(command, input=READ[place].encode(), check=True, capture_output=True)


@pytest.mark.nightly("a scan for each line of the careless patches")
@pytest.mark.slow
@pytest.mark.parametrize("path", [f"src/a{ending}" for ending in (*SOURCES, *HEADERS, *INCLUDED)])
def test_its_lines_are_flagged(path: str) -> None:
    before = {path: HEADER}
    after = {path: HEADER + lines_in(path)}
    added = {path: frozenset(range(5, after[path].count(b"\n") + 1))}
    found = compare(before, after, renames={}, added=added, scanner=load_scanner("builtin"))
    assert found.suspicious, found
