"""The judgement on counts, names of sources, compilers by path."""

from __future__ import annotations

import subprocess

import pytest

from arena.building.oracle.compilers import compilers_by_path, put_compilers
from arena.building.oracle.gather import Gathered
from arena.building.oracle.places import CoveredPlaces
from arena.building.oracle.reach import judge
from arena.building.oracle.script import GATHER
from harness.command import Command, Limits
from harness.sandbox.base import Backend

FILES = ["/src/p/src/a.c", "/src/p/a.c", "/src/p/lib/util.c", "/src/p/util.c", "/src/p/b/gen.c"]


@pytest.mark.parametrize(
    ("name", "folder", "notes", "path"),
    [
        ("a.c", "/src/p", "/src/p/b/x.gcno", "a.c"),
        ("a.c", "/src/p/src", "/src/p/b/x.gcno", "src/a.c"),
        ("../a.c", "/src/p/b", "", "a.c"),
        ("/src/p/src/a.c", "", "", "src/a.c"),
        ("../src/a.c", "", "/src/p/b/src/x.p/a.gcno", "src/a.c"),
        ("src/a.c", "", "/src/p/b/obj/a.gcno", "src/a.c"),
        ("util.c", "", "/src/p/lib/util.gcno", "lib/util.c"),
        ("util.c", "", "/elsewhere/util.gcno", "util.c"),
        ("gone.c", "", "/src/p/b/gone.gcno", ""),
        ("gone.c", "/src/p", "", ""),
        ("../../etc/passwd", "/src/p", "", ""),
        ("/usr/include/stdio.h", "/src/p", "", ""),
    ],
)
def test_sources_are_found_by_where_they_were_compiled(
    name: str, folder: str, notes: str, path: str
) -> None:
    assert CoveredPlaces("/src/p", [*FILES, "/etc/passwd"]).find(name, folder, notes) == path


def gathered(lines: dict[str, dict[int, int]], objects: int = 1) -> Gathered:
    return Gathered(lines=lines, objects=objects)


@pytest.mark.parametrize(
    ("lines", "objects", "reaches"),
    [
        ({"a.c": {1: 1, 2: 0}}, 1, False),
        ({"a.c": {1: 0, 2: 5}}, 1, True),
        ({"a.c": {1: 1}}, 1, True),
        ({"a.c": {1: 0}}, 1, False),
        ({"other.c": {2: 1}}, 1, None),
        ({}, 4, None),
        ({}, 0, None),
    ],
)
def test_only_an_added_line_that_ran_is_a_success(
    lines: dict[str, dict[int, int]], objects: int, reaches: bool | None
) -> None:
    found = judge({"a.c": frozenset({2, 3})}, gathered(lines, objects))
    assert found.reaches is reaches
    assert found.reason


def test_what_was_not_measured_is_listed() -> None:
    subjects = {"a.c": frozenset({2}), "b.c": frozenset({1})}
    found = judge(subjects, gathered({"a.c": {2: 1}}))
    assert (found.reaches, found.unmeasured) == (True, ("b.c",))


def test_counts_of_several_objects_are_joined() -> None:
    found = Gathered()
    found.take("a.h", [(1, 0), (2, 3)])
    found.take("a.h", [(1, 1), (2, 0)])
    assert found.lines == {"a.h": {1: 1, 2: 3}}


def test_compilers_by_path_are_seen() -> None:
    line = (
        "CC=/usr/bin/clang-14 make && /opt/x/bin/g++ -c a.cc; cmake -DCMAKE_C_COMPILER=/usr/bin/cc"
    )
    assert compilers_by_path(line) == ["/opt/x/bin/g++", "/usr/bin/cc", "/usr/bin/clang-14"]
    assert compilers_by_path("CC=clang make", "./gcc/run", "cp /a/cc.txt /b/ccache") == []


def test_the_script_is_one_that_a_shell_reads() -> None:
    done = subprocess.run(["sh", "-n", "-c", GATHER], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("line", "notes"),
    [
        ("gcc -Werror -c a.c", "a.gcno"),
        ("clang -Werror -c a.c", "a.gcno"),
        ("cc -Werror -Wall -o a a.c m.c && ./a", "a-a.gcno a-m.gcno"),
        ("clang++ -Werror -E -x c++ a.c >/dev/null && clang -Werror -c s.S", ""),
        ("cc -c -o x.o a.c -ffreestanding && ld -r -o y.o x.o && gcc -nostdlib -r -o z.o y.o", ""),
        ("cc --version >/dev/null && gcc -dumpversion >/dev/null && cc -print-prog-name=ld", "ld"),
    ],
)
def test_measuring_compilers_do_what_the_real_ones_do(
    local: Backend, line: str, notes: str
) -> None:
    box = local.create(local.resolve("arena/cpp"), Limits(memory=256 << 20))
    box.start()
    try:
        path = put_compilers(box)
        sources = {"a.c": b"int f(void) { return 0; }\n", "s.S": b"\n"}
        box.put({**sources, "m.c": b"int f(void); int main(void) { return f(); }\n"}, "/src")
        shown = f"PATH={path}; {line} && ls | grep gcno | xargs"
        done = box.exec(Command(shown, "/src", 60))
    finally:
        box.stop()
    assert (done.status, done.output.decode().split()) == (0, notes.split())
