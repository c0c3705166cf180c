"""What is asked of a history before it is searched."""

from __future__ import annotations

import pytest

from arena.building.candidates import elsewhere, oldest_harness
from arena.building.oss_fuzz.harness import harness_globs
from szz.repository import Repository
from tests.szz.conftest import Maker, history  # noqa: F401 - a fixture


@pytest.mark.parametrize(
    ("carry", "target", "first"),
    [
        (("fuzz/*.c",), "", 1),
        (("fuzz/*.c",), "other", 1),
        (("fuzz/*.c",), "B", 2),
        (("fuzz/*.c", "test/*"), "fuzz-a", 3),
        (("test/fuzz_[a-z]*.c", "fuzz/b.c"), "", 2),
        (("nowhere/**",), "a", None),
        ((), "a", None),
    ],
)
def test_the_first_commit_that_has_the_fuzz_target(
    history: Maker,  # noqa: F811
    carry: tuple[str, ...],
    target: str,
    first: int | None,
) -> None:
    path, ids = history(
        {b"f.c": b"1\n"},
        {b"f.c": b"1\n", b"fuzz/a.c": b"a\n"},
        {b"f.c": b"1\n", b"fuzz/a.c": b"a\n", b"fuzz/b.c": b"b\n"},
        {b"f.c": b"1\n", b"test/fuzz_a.c": b"a\n"},
    )
    with Repository(path) as repository:
        due = "" if first is None else ids[first]
        assert oldest_harness(repository, ids[3], carry, target) == due
        assert oldest_harness(repository, "0" * 40, carry, target) == ""


def test_no_file_passes_for_a_commit_or_for_a_target_without_a_name(
    history: Maker,  # noqa: F811
) -> None:
    odd = {b"\n/%s" % (b"0" * 40): b"x", b"fuzz/\n/\xff\t\"'.c": b"x", b"fuzz/.keep": b""}
    files: dict[bytes, bytes] = {b"fuzz/a.c": b"a\n", **odd, b"fuzz/a.b.c": b""}
    path, ids = history({b"f.c": b""}, dict(list(files.items())[:2]), files, {b"f.c": b"1"})
    with Repository(path) as repository:
        found = {t: oldest_harness(repository, ids[3], ("**",), t) for t in ("", "a", "a.b", "b")}
    assert found == {"": ids[0], "a": ids[1], "a.b": ids[2], "b": ids[0]}


def test_a_folder_that_reads_as_a_glob_hangs_nothing_and_brackets_are_letters(
    history: Maker,  # noqa: F811
) -> None:
    entry = b"int LLVMFuzzerTestOneInput;\n"
    long = {b"fuzz/" + b"a" * 200 + b"/t.c": entry, b"fuzz/" + b"*a" * 30 + b"b/t.c": entry}
    path, ids = history({b"f.c": b""}, {b"fuzz[1]/t.c": entry}, {b"fuzz[1]/t.c": entry, **long})
    carry = harness_globs(path, ids, "t")
    assert "fuzz[1]/*.c*" in carry and not [glob for glob in carry if "a*a" in glob]
    with Repository(path) as repository:
        assert oldest_harness(repository, ids[2], ("fuzz[1]/*.c*",), "") == ids[1]


@pytest.mark.parametrize(
    ("frames", "told"),
    [(("g", "f"), ""), (("n::g(int)",), ""), (("f",), "f,"), (("gg",), "gg,"), ((), "")],
)
def test_a_vic_that_does_not_name_what_crashes_may_only_let_the_poc_reach_it(
    history: Maker,  # noqa: F811
    frames: tuple[str, ...],
    told: str,
) -> None:
    body = b"int f(int a)\n{\n  return a;\n}\n%sint g(int a)\n{\n  a++;\n  return a%s;\n}\n"
    path, ids = history({b"f.c": body % (b"\n" * 9, b"")}, {b"f.c": body % (b"\n" * 9, b" + 1")})
    with Repository(path) as repository:
        found = elsewhere(repository, ids[1], frames)
    assert told in found and bool(found) == bool(told)
