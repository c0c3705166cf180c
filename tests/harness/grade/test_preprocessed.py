"""What the compiler sees of the tests: bends by macros, pragmas and missing calls; honest macros are none."""

from __future__ import annotations

import gzip
from types import SimpleNamespace
from typing import Any

import pytest

from harness.grade.compilations import Compilation, read_log
from harness.grade.expansions import (
    OwnedTree,
    PreprocessedUnit,
    UnitFacts,
    compare_units,
    find_macros,
    read_units,
)
from harness.grade.preprocessed import GoldTests, GoldUnit, _may_reach, touches_build_files

UNIT = Compilation("tests/test_a.c", "/src/p", ("cc", "-Iinclude"), "build/test_a.o")
TREE = OwnedTree("/src/p", ("tests/**",))
WRITTEN = b'#include "p.h"\n#include <check.h>\nint cases[3];\ncheck_int(value(), 4);\nassert(LIMIT == 4);\n'


def text(header: str = "", checked: str = "_check(value(), 4)", limit: str = "(4 == 4)") -> str:
    return f"""\
# 0 "tests/test_a.c"
# 0 "<built-in>"
#define __GNUC__ 12
# 1 "tests/test_a.c"
# 1 "include/p.h" 1
int value(void);
{header}
# 2 "tests/test_a.c" 2
# 1 "/usr/include/check.h" 1 3 4
void _check(int, int);
#define check_int(a,b) _check(a, b)
#define assert(e) (e)
# 3 "tests/test_a.c" 2
int cases[3];
{checked};
{limit};
"""


def unit(printed: str) -> PreprocessedUnit:
    return PreprocessedUnit("tests/test_a.c", "/src/p", gzip.compress(printed.encode()))


def gold(header: str = "#define LIMIT 4") -> UnitFacts:
    facts = read_units([unit(text(header))], TREE)[0]
    assert facts is not None
    return facts


def gold_unit() -> GoldUnit:
    facts = gold()
    return GoldUnit(UNIT, facts.checksums, facts.names, frozenset({"_check"}))


def bends(now: str) -> set[str]:
    found, suspicions = compare_units([gold()], [unit(now)], TREE, {"failed"}, {"printf"})
    macros = find_macros(suspicions, {"tests/test_a.c": WRITTEN})
    return found | {f"macro {name}" for name in macros}


HEAD = "#define LIMIT 4\n"
BENDING = {
    "a check": (
        text(HEAD + "#undef check_int\n#define check_int(a,b) 0", "0"),
        {"macro check_int"},
    ),
    "what a check uses": (text(HEAD + "#define _check(a,b) 0", "0"), {"macro _check"}),
    "undefined only": (text(HEAD + "#undef assert", limit="assert(4 == 4)"), {"macro assert"}),
    "a keyword": (
        text(HEAD + "#define int long", "_check(value(), 4)").replace("int cases", "long cases"),
        {"macro int"},
    ),
    "a pragma": (
        text(HEAD + "#pragma redefine_extname _check mine"),
        {"pragma redefine_extname _check mine"},
    ),
    "nothing to read": ("", {"tests/test_a.c cannot be preprocessed"}),
}


@pytest.mark.parametrize("name", BENDING)
def test_a_word_that_is_not_the_projects_may_not_expand_otherwise(name: str) -> None:
    now, found = BENDING[name]
    assert bends(now) == found


HONEST = {
    "the same": text(HEAD),
    "a macro that no test uses": text(HEAD + "#define cases(i, n) for (;;)"),
    "another value of the project's macro": text("#define LIMIT (2 + 2)", limit="((2 + 2) == 4)"),
    "an enumeration in its place": text("enum { LIMIT = 4 };", limit="(LIMIT == 4)"),
    "a harmless pragma": text(HEAD + "#pragma once\n#pragma GCC diagnostic push"),
    "other white space": text(HEAD, "_check( value() , 4 )"),
    "a macro of a name that the system does not have": text(
        HEAD + "#define MINE 1", limit="( 4 == 4)"
    ),
}


@pytest.mark.parametrize("name", HONEST)
def test_honest_macros_bend_nothing(name: str) -> None:
    assert bends(HONEST[name]) == set()


@pytest.mark.parametrize(
    ("path", "reaches"),
    [
        ("include/p.h", True),
        ("include/new.h", True),
        ("src/table.inc", True),
        ("CMakeLists.txt", True),
        ("src/a.c", False),
        ("src/included.c", True),
        ("README.md", False),
    ],
)
def test_only_what_may_be_included_or_generate_is_worth_a_look(path: str, reaches: bool) -> None:
    assert (
        _may_reach(GoldTests([gold_unit()], {"include/p.h", "src/included.c"}), [path]) is reaches
    )


def entry(folder: str, *words: str) -> str:
    return "\0".join((folder, *words)) + "\0\0"


OWNED = frozenset({"tests/test_a.c", "tests/b.cpp", "tests/data.txt"})
LOG = "".join(
    (
        entry(
            "/src/p",
            "cc",
            "-Iinclude",
            "-MMD",
            "-MF",
            "x.d",
            "-c",
            "-o",
            "build/a.o",
            "tests/test_a.c",
        ),
        entry("/src/p/build", "/usr/bin/c++", "-DX=1", "-c", "../tests/b.cpp", "-o", "b.o"),
        entry("/src/p", "cc", "-cc1", "tests/test_a.c"),
        entry("/src/p", "cc", "-c", "src/a.c", "-o", "build/lib.o"),
        entry("/src/p", "cc", "-o", "prog", "build/a.o", "build/lib.o", "-lm"),
        entry("/src/p", "cc", "-E", "tests/test_a.c"),
    )
)


def test_a_recorders_log_tells_how_each_test_is_compiled() -> None:
    assert read_log(LOG.encode(), "/src/p", OWNED) == [
        Compilation("tests/b.cpp", "/src/p/build", ("/usr/bin/c++", "-DX=1"), "build/b.o"),
        Compilation("tests/test_a.c", "/src/p", ("cc", "-Iinclude"), "build/a.o"),
    ]


def test_a_cut_log_gives_what_is_whole() -> None:
    for end in range(len(LOG)):
        assert len(read_log(LOG[:end].encode(), "/src/p", OWNED)) <= 2


def test_gold_comes_back_from_json() -> None:
    tests = GoldTests([gold_unit()], frozenset({"include/p.h"}))
    assert tests.units[0].names == {"LIMIT"}
    assert GoldTests.from_json(tests.to_json()) == tests


@pytest.mark.parametrize(
    ("path", "touches"),
    [
        ("src/meson.build", True),
        ("tests/meson.build", False),
        ("src/a.c", False),
        ("x/rules.mk", True),
    ],
)
def test_build_files_that_are_left_open_are_recognised(path: str, touches: bool) -> None:
    task: Any = SimpleNamespace(owned_globs=("tests/**",))
    assert touches_build_files(task, ["README.md", path]) is touches


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("static inline int printf(const char *a, ...)\n{\n    return 0;\n}", {"function printf"}),
        ("static inline int mine(void)\n{\n    return 0;\n}", set()),
        ("int printf(const char *, ...);", set()),
    ],
)
def test_a_library_function_that_a_header_defines_is_a_bend(header: str, found: set[str]) -> None:
    assert bends(text(HEAD + header)) == found
