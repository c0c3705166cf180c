"""Watched names: what gold has says nothing, what it has not is told."""

from __future__ import annotations

import re

import pytest

from harness.grade.imports import LibcExports
from harness.grade.symbols import (
    CXX_WATCHED,
    HEAP_OPERATORS,
    _describe,
    compare_names,
    find_suspects,
    list_borrowed_names,
    list_called_functions,
    names_to_compare,
    target_of,
)

GOLD = names_to_compare(
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
        "perhaps optional_hook",
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
        ("needs mmap", ""),
        ("build/obj/zz.o defines printf", "build/obj/zz.o defines printf"),
        ("strong __sanitizer_on_print", "target replaces __sanitizer_on_print"),
        ("strong __asan_init", ""),
        ("perhaps printf", ""),
        ("perhaps optional_hook", ""),
        ("perhaps __gmon_start", "asks whether __gmon_start is linked"),
        ("build/obj/zz.o defines _Znam", "build/obj/zz.o defines _Znam"),
    ],
)
def test_names_are_held_against_golds(seen: str, told: str) -> None:
    assert find_suspects(GOLD, [seen]) == ([told] if told else [])


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


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (("x", "U", "puts", "-"), "outside puts"),
        (("x", "w", "optional_hook", "-"), "perhaps optional_hook"),
        (("o", "w", "__interceptor_free", "a.o"), "a.o imports __interceptor_free"),
        (("o", "T", "_Znam", "a.o"), "a.o defines _Znam"),
        (("o", "t", "__gxx_personality_x", "a.o"), "a.o defines __gxx_personality_x"),
        (("o", "U", "_Znam", "a.o"), ""),
    ],
)
def test_rows_of_nm_are_described(row: tuple[str, str, str, str], said: str) -> None:
    assert _describe((), *row) == said


def test_functions_are_called_by_objects_or_by_the_target() -> None:
    rows = [
        "outside mmap",
        "needs wordexp",
        "asks for fork",
        "build/a.o imports raise",
        "weak time",
    ]
    assert list_called_functions(rows) == ["mmap", "wordexp"]


@pytest.mark.parametrize(
    ("name", "is_heap"),
    [
        ("_Znwm", True),
        ("_ZnamSt11align_val_tRKSt9nothrow_t", True),
        ("_ZdaPvm", True),
        ("_ZdlPv", True),
        ("_ZnwmPv", False),
        ("_ZdlPvS_", False),
        ("_ZN4PoolnwEm", False),
    ],
)
def test_placement_and_members_are_no_heap_of_their_own(name: str, is_heap: bool) -> None:
    assert bool(re.fullmatch(HEAP_OPERATORS, name)) is is_heap


@pytest.mark.parametrize(
    ("name", "is_watched"),
    [
        ("_ZNSt6chrono3_V212system_clock3nowEv", True),
        ("_ZNSt6localeC1EPKc", True),
        ("_ZNKSt6locale4nameB5cxx11Ev", True),
        ("_ZNSt10filesystem11permissionsERKNS_7__cxx114pathENS_5permsENS_12perm_optionsE", True),
        ("_ZNSt6localeC1Ev", False),
        ("_ZNSt6localeD1Ev", False),
        ("_ZNSt6vectorIiSaIiEE9push_backEOi", False),
    ],
)
def test_streams_make_locales_and_only_a_named_one_tells_of_the_user(
    name: str, is_watched: bool
) -> None:
    assert bool(re.search(CXX_WATCHED, name)) is is_watched


def test_what_only_golds_target_needs_an_object_may_not_borrow() -> None:
    """The runtime of a sanitizer in gold's target needs the stack's end; no object of gold's asks for it."""
    gold = names_to_compare(["needs __libc_stack_end", "outside malloc"], [])
    libc = LibcExports({"__libc_stack_end": ("__libc_stack_end",), "malloc": ("malloc",)})
    row = "x U __libc_stack_end -\nx U malloc -\nd U __libc_stack_end -\n"
    assert compare_names(row, gold, libc, ["__libc_stack_end"]).imports == ["__libc_stack_end"]
    assert compare_names("d U __libc_stack_end -\n", gold, libc, []).imports == []


def test_what_gold_may_take_from_elsewhere_is_taken() -> None:
    assert list_borrowed_names(["outside printf", "perhaps hook", "needs mmap"]) == [
        "printf",
        "hook",
    ]
