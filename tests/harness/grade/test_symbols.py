"""Watched names: what gold has says nothing, what it has not is told."""

from __future__ import annotations

import pytest

from harness.grade.apply import PatchCandidate, examine
from harness.grade.symbols import kept, new, target_of
from harness.grade.words import bent
from tasks.loader import load_pack
from tests.mini import Mini

GOLD = kept(
    [
        "asks for fork",
        "build/obj/log.o imports raise",
        "build/tests/tap.o imports fork",
        "strong __asan_init",
        "weak __sanitizer_on_print",
        "build/fuzz/obj/log.o is instrumented",
        "build/fuzz/tap.o is instrumented",
        "build/fuzz/data.o is bare",
        "outside printf",
    ],
    ["tests/tap.c", "Makefile"],
)


@pytest.mark.parametrize(
    ("seen", "told"),
    [
        ("asks for fork", ""),
        ("asks for umask", "target asks for umask"),
        ("build/tests/tap.o imports fork", ""),
        ("build/obj/zz.o imports fork", "build/obj/zz.o imports fork"),
        ("build/obj/tap.o imports fork", "build/obj/tap.o imports fork"),
        ("build/obj/moved.o imports raise", ""),
        ("build/obj/zz.o defines malloc", "build/obj/zz.o defines malloc"),
        ("weak __sanitizer_on_print", ""),
        ("build/fuzz/obj/log.o is bare", "build/fuzz/obj/log.o is not instrumented"),
        ("build/fuzz/obj/log.o is instrumented", ""),
        ("build/fuzz/obj/zz.o is bare", "build/fuzz/obj/zz.o is not instrumented"),
        ("build/fuzz/zz.o is bare", ""),
        ("build/obj/zz.o is bare", ""),
        ("outside puts", ""),
        ("build/obj/zz.o defines printf", "build/obj/zz.o defines printf"),
        ("strong __sanitizer_on_print", "target replaces __sanitizer_on_print"),
        ("strong __asan_init", ""),
    ],
)
def test_names_are_held_against_golds(seen: str, told: str) -> None:
    assert new(GOLD, [seen]) == ([told] if told else [])


@pytest.mark.parametrize(
    ("command", "target"),
    [
        ("./build/fuzz {poc}", "./build/fuzz"),
        ("A=1 /out/fuzz -runs=1 {poc}", "/out/fuzz"),
        ("arvo", ""),
        ("'", ""),
    ],
)
def test_the_target_is_found_in_the_command(command: str, target: str) -> None:
    assert target_of(command) == target


def header(text: str, path: str = "src/text.h") -> PatchCandidate:
    lines = "".join(f"+{line}\n" for line in text.splitlines())
    count = len(text.splitlines())
    return examine(
        f"--- a/{path}\n+++ b/{path}\n@@ -1 +1,{count + 1} @@\n int a;\n{lines}".encode()
    )


BENDS = {
    "a keyword": ("#define if(x) if (1)", ["if"]),
    "what tests take from elsewhere": ("#define printf(...) say()", ["printf"]),
    "a name of the tests": ("# define failed zero", ["failed"]),
    "spliced": ("#def\\\nine failed zero", ["failed"]),
    "with a comment": ("#/* */define /**/ failed zero", ["failed"]),
    "a digraph": ("%:define failed zero", ["failed"]),
    "a name of its own": ("#define LIMIT 4", []),
}


@pytest.mark.parametrize("name", BENDS)
def test_a_macro_may_not_bend_the_words_of_the_tests(mini: Mini, name: str) -> None:
    task = load_pack(mini.folder).tasks[0]
    text, found = BENDS[name]
    assert bent(header(text), task, {"failed"}, ["printf"]) == found


def test_a_macro_of_a_source_file_bends_nothing_unless_it_is_included(mini: Mini) -> None:
    task = load_pack(mini.folder).tasks[0]
    macro = "#define failed zero"
    assert bent(header(macro, "src/text.c"), task, {"failed"}, []) == []
    assert bent(header(macro + '\n#include "text.c"', "src/text.c"), task, {"failed"}, []) == [
        "failed"
    ]
    assert bent(header(macro, "tests/tap.h"), task, {"failed"}, []) == []
