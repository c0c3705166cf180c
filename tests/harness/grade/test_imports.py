"""Functions that a patch newly calls: which are harmless, which are watched ones by another name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.grade.imports import HARMLESS, LibcExports, canonical, classify, is_harmless
from harness.grade.libc import _groups

LISTED = """\
libc.so.6 sigaction@@GLIBC_2.2.5 W 38e80 101
libc.so.6 __sigaction@@GLIBC_2.2.5 T 38e80 101
libc.so.6 mmap@@GLIBC_2.2.5 W ff0 20
libc.so.6 mmap64@@GLIBC_2.2.5 W ff0 20
libc.so.6 wordexp@@GLIBC_2.2.5 T aa0 20
libc.so.6 strlen@@GLIBC_2.2.5 i 10 20
libpthread.so.0 odd@@GLIBC_2.2.5 T ff0 20
nm: cannot read
"""
LIBC = LibcExports({name: tuple(group) for group in _groups(LISTED) for name in group})


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("strlen", "strlen"),
        ("__isoc99_sscanf", "sscanf"),
        ("__isoc23_strtol", "strtol"),
        ("__vfprintf_chk", "vfprintf"),
        ("_IO_putc", "putc"),
        ("getc_unlocked", "getc"),
        ("open64", "open"),
        ("__open64_2", "open"),
        ("__xpg_basename", "basename"),
        ("_Exit", "exit"),
        ("_Fork", "fork"),
        ("strtol_l", "strtol"),
        ("__ctype_b_loc", "ctype_b_loc"),
    ],
)
def test_versions_and_checks_of_a_function_are_that_function(name: str, plain: str) -> None:
    assert canonical(name) == plain


@pytest.mark.parametrize(
    "name",
    [
        "memcpy",
        "__memcpy_chk",
        "strtok_r",
        "sqrtf",
        "malloc",
        "qsort",
        "__isoc99_sscanf",
        "fopen64",
        "__stack_chk_fail",
        "__cxa_throw",
        "_Unwind_Resume",
        "__asan_report_load4",
        "__ubsan_handle_out_of_bounds",
        "__udivti3",
        "__popcountdi2",
        "pthread_mutex_lock",
        "__errno_location",
        "towupper",
        "_obstack_begin",
        "vswprintf",
        "__assert_fail",
    ],
)
def test_what_any_program_calls_is_harmless(name: str) -> None:
    assert is_harmless(name)


@pytest.mark.parametrize(
    "name",
    [
        "mmap",
        "munmap",
        "mprotect",
        "fork",
        "_Fork",
        "forkpty",
        "wordexp",
        "popen",
        "signal",
        "sigaction",
        "__sigaction",
        "longjmp",
        "_setjmp",
        "dlopen",
        "dlvsym",
        "getenv",
        "setenv",
        "clock_gettime",
        "time",
        "getrandom",
        "sysconf",
        "setrlimit",
        "pthread_create",
        "thrd_create",
        "realpath",
        "strcpy",
        "stpcpy",
        "_exit",
        "atexit",
        "ptrace",
        "syscall",
        "freopen",
        "dup2",
        "close_range",
    ],
)
def test_what_reaches_beyond_the_program_is_not(name: str) -> None:
    assert not is_harmless(name)


def test_aliases_are_told_by_their_address_in_their_own_library() -> None:
    assert LIBC.names_of("__sigaction") == (
        "__sigaction",
        "sigaction",
        "__sigaction",
        "sigaction",
    )
    assert "odd" not in LIBC.names_of("mmap")


@pytest.mark.parametrize(
    ("name", "aliases", "others"),
    [
        ("__sigaction", ["__sigaction"], []),
        ("_Fork", ["_Fork"], []),
        ("mmap64", [], ["mmap64"]),
        ("wordexp", [], ["wordexp"]),
        ("strlen", [], []),
        ("inflate", [], []),  # of another library
        ("_ZNSt6chrono3_V212system_clock3nowEv", [], ["_ZNSt6chrono3_V212system_clock3nowEv"]),
    ],
)
def test_new_calls_are_sorted(name: str, aliases: list[str], others: list[str]) -> None:
    assert classify([name], LIBC, {"sigaction", "fork"}) == (aliases, others)


def test_where_no_library_could_be_read_every_unknown_name_is_looked_at() -> None:
    assert classify(["inflate", "strlen"], LibcExports({}), {"fork"}) == ([], ["inflate"])


@given(st.sampled_from(sorted(HARMLESS)))
def test_the_table_is_in_its_own_form(name: str) -> None:
    assert canonical(name) in HARMLESS
