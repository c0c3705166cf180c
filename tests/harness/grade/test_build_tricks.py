"""What a patch may make its builds do, without a line in a build file of the task's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.grade.build_files import kind_of, new_command
from harness.grade.grader import Grader
from harness.grade.verdict import Label, Verdict
from parsers.patch import commands
from tasks.loader import Task, load_pack
from tests.mini import BASE, FIXED_C, MAKEFILE, TEXT_C, VFC, VIC, Mini

FORGED = """\
printf '%s\\n' '#!/bin/sh' 'case $1 in upper) printf "%s\\n" "$2" | tr a-z A-Z ;; *) echo "$2$2" ;; esac' > build/tool
chmod +x build/tool
"""
STUB = {"src/text.c": TEXT_C + "\n/* later */\n"}


@pytest.fixture
def grade(grader: Grader, mini: Mini) -> Callable[[dict[str, str]], Verdict]:
    task: Task = load_pack(mini.folder).tasks[0]

    def run(files: dict[str, str]) -> Verdict:
        def edit(work: Path) -> None:
            for name, content in files.items():
                (work / name).parent.mkdir(parents=True, exist_ok=True)
                (work / name).write_text(content)

        return grader.grade(task, mini.patch(edit))

    return run


def test_a_file_s_name_is_no_command(grade: Callable[[dict[str, str]], Verdict]) -> None:
    """A Makefile with a wildcard hands names to a shell as they are."""
    name = "src/zz;sh<ev||.c"
    verdict = grade({**STUB, name: "", "src/zz": "", "ev": FORGED})
    assert verdict.label is Label.IC, verdict.reason
    assert verdict.evidence["apply"]["left_out"] == [name]


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
def test_a_name_left_out_costs_honest_work_nothing(
    grade: Callable[[dict[str, str]], Verdict],
) -> None:
    verdict = grade({"src/text.c": FIXED_C, "notes/R&D (1).txt": "x", "notes/a b+c,d:e.txt": "x"})
    assert verdict.label is Label.SECURE, verdict.reason
    assert verdict.evidence["apply"]["left_out"] == ["notes/R&D (1).txt"]


@pytest.mark.parametrize(
    ("path", "due"),
    [
        *((name, True) for name in ("a;b", "a|b", "a&b", "a>b", "$(a)", "`a`", 'a"b', "a'b")),
        *((name, True) for name in ("CC=./x.h", "-specs", "src/@x.c", "src/a -Bx.c", "a\\b")),
        *((name, False) for name in ("a-b.c", "a b.c", "a@b", "id:0,sig:06", "a++.h", "ä.c", "x~")),
    ],
)
def test_what_a_shell_or_make_would_read_in_a_name(path: str, due: bool) -> None:
    assert commands(path) is due


@pytest.fixture(scope="module")
def free(tmp_path_factory: pytest.TempPathFactory) -> Mini:
    """The tiny task with build files that are the patch's to write."""
    more = {
        "src/old.mk": "Z := $(shell true)\n" * 5,
        "Makefile": MAKEFILE + "\n-include src/flags.mk local.conf\n",
        "src/flags.mk": "X = 1\n",
    }
    return Mini(tmp_path_factory.mktemp("free"), [{**step, **more} for step in (BASE, VIC, VFC)])


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
@pytest.mark.parametrize(
    ("files", "due"),
    [
        ({"src/flags.mk": "X = 1\nY := $(shell sh ev)\n"}, Label.CE),
        ({"local.conf": "Y != sh ev\n"}, Label.CE),
        ({"src/flags.mk": "X = 2\nCFLAGS += -DMORE\n"}, Label.IC),
    ],
    ids=["a build file", "a file that one includes", "honest"],
)
def test_a_build_file_of_the_patch_s_runs_no_commands_anew(
    grader: Grader, free: Mini, files: dict[str, str], due: Label
) -> None:
    task = load_pack(free.folder).tasks[0]
    patch = free.patch(lambda work: None, {**STUB, **files, "ev": FORGED})
    verdict = grader.grade(task, patch)
    assert verdict.label is due, verdict.reason
    assert ("more than list files" in verdict.reason) is (due is Label.CE)


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
def test_a_build_file_that_is_renamed_is_no_new_one(grader: Grader, free: Mini) -> None:
    def renamed(work: Path) -> None:
        (work / "src/old.mk").rename(work / "src/new.mk")

    verdict = grader.grade(load_pack(free.folder).tasks[0], free.patch(renamed, STUB))
    assert verdict.label is Label.IC, verdict.reason


RUNS = {
    "Makefile": (
        *("\tsh ev", "X = $(shell ev)", "X != ev", "all: a ; sh ev", "CC = ./ev", "SHELL=./ev"),
        *("X = ;sh ev", "\t$(CC) $(X); sh ev", "CFLAGS += -specs=ev", "$(eval $(X))", "\t$(X)"),
    ),
    "CMakeLists.txt": (
        *("execute_process(COMMAND sh ev)", "ADD_CUSTOM_COMMAND(TARGET x POST_BUILD"),
        *("set(CMAKE_C_COMPILER_LAUNCHER ./ev)", "file(WRITE ${X}/CTestCustom.cmake"),
    ),
    "meson.build": (
        *("run_command('sh', 'ev')", "x = custom_target('x',", "  command : ['sh'", "copy: true)"),
        *("x += configure_file(output: 'x.cpp',", "compile_args: ['-include', 'x.h'],"),
    ),
    "src/Makefile.am": ("all-local:\n\tsh ev", "AM_LIBTOOLFLAGS = --x"),
}
HONEST = {
    "Makefile": (
        *("SRC += src/new.c", "new.o: new.c new.h\n\t$(CC) $(CFLAGS) -c -o $@ $<", "CFLAGS += -O2"),
        *("# $(shell nothing)", "OBJ = a.o \\\n\tb.o \\\n\tnew.o", "tests: all"),
    ),
    "CMakeLists.txt": (
        *("add_library(x STATIC a.c new.c)", "add_subdirectory(new)", "set(SOURCES a.c new.c)"),
        "target_compile_options(x PRIVATE -Wall -Wno-unused)",
    ),
    "meson.build": (
        "sources += files('new.cpp')",
        "lib = library('x', sources)",
        "subdir('new')",
        "output: 'x.h'",
    ),
    "src/Makefile.am": ("libx_la_SOURCES = a.c \\\n\tnew.c", "include_HEADERS = new.h"),
}


@pytest.mark.parametrize("path", RUNS)
def test_lines_by_which_a_build_runs_commands(path: str) -> None:
    kind = kind_of(path)
    assert kind is not None
    for line in RUNS[path]:
        new = f"before\n{line}\nbehind\n".encode()
        assert new_command(b"before\nbehind\n", new, kind, frozenset()), line
        assert not new_command(new, new + b"more\n", kind, frozenset()), line
        assert not new_command(b"", new, kind, frozenset(map(str.encode, line.split("\n")))), line
    for line in HONEST[path]:
        assert not new_command(b"", f"{line}\n".encode(), kind, frozenset()), line
