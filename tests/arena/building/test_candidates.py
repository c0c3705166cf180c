"""What is asked of a history before it is searched."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.building.candidates import find_fix_loss, named_by, note_frame_missing, oldest_harness
from arena.building.oss_fuzz.harness import BESIDE, harness_globs
from szz.repository import Repository
from tests.szz.conftest import Made, Maker, history  # noqa: F401 - a fixture


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


def test_the_only_fuzz_target_is_known_by_its_name_where_no_folder_tells_it(
    history: Maker,  # noqa: F811
) -> None:
    trees = {
        ("fuzz.cpp", "fuzz.h", "main.cpp"): ("src/fuzz.cpp", "src/fuzz.h"),  # main calls it
        ("brook_fuzzsupport.c",): ("src/brook_fuzzsupport.c",),
        ("fuzz\u00e9/t.c",): tuple(f"src/fuzz\u00e9/{glob}" for glob in BESIDE),
        ("fuzz.cpp", "libfuzz.cpp"): (),
        ("brook-fuzz.cpp", "test-fuzz.c"): (),
        ("main.cpp",): (),
        ("brook2wat-fuzz.cc",): (),  # another target's: this one's is in OSS-Fuzz's folder
        ("fuzzy.c",): (),
        ("brook2watfuzz.cc",): (),
        ("Brook-Fuzzer.cc", "fuzz.cpp"): ("src/Brook-Fuzzer.cc",),  # named as the target
        ("harness/t.c", "fuzzing.h"): tuple(f"src/harness/{glob}" for glob in BESIDE),
    }
    entry = b"int LLVMFuzzerTestOneInput;\n"
    told = [{f"src/{name}".encode(): entry for name in names} for names in trees]
    path, ids = history(*told)
    found = [harness_globs(path, [commit], "brook_fuzzer") for commit in ids]
    assert found == list(trees.values())


@pytest.mark.parametrize(
    ("versions", "lost"),
    [
        (({}, {b"a.c": b"f(b);\n"}, {b"fuzz/t.c": b"2\n", b"a.c": b"f(\n b);\n"}), ""),
        (({}, {b"fuzz/t.c": b"2\n", b"a.c": b"f(\n a);\n"}, {b"a.c": b"f(\n b);\n"}), ""),
        (({}, {b"fuzz/t.c": b"2\n", b"a.c": b"f(\n a);\n"}, {b"a.c": b"f( a);\n"}), "target-only"),
        (({b"fuzz/c.h": b"c\n" * 60}, {b"fuzz/c.h": None, b"c.h": b"c\n" * 60 + b"\n"}), ""),
        (({b"b.l": b"[^\\n]+\n"}, {b"fuzz/t.c": b"2\n", b"b.l": b"[^ \\n]+\n"}), ""),
    ],
)
def test_several_fixes_and_files_that_move_mend_something(
    history: Maker,  # noqa: F811
    versions: tuple[dict[bytes, bytes | None], ...],
    lost: str,
) -> None:
    files: dict[bytes, bytes | None] = {b"fuzz/t.c": b"1\n", b"a.c": b"f(a);\n"}
    trees = []
    for changed in versions:
        files = {**files, **changed}
        trees.append({path: text for path, text in files.items() if text is not None})
    path, ids = history(*trees)
    case: Any = SimpleNamespace(fix=tuple(ids[1:]), poc=SimpleNamespace(carry=("fuzz/*",)))
    with Repository(path) as repository:
        assert find_fix_loss(repository, case)[0] == lost


def test_a_merge_of_a_mend_and_a_change_of_the_fuzz_target_mends_something(
    history: Maker,  # noqa: F811
) -> None:
    one = {b"fuzz/t.c": b"1\n", b"a.c": b"f(a);\n"}
    both = {b"fuzz/t.c": b"2\n", b"a.c": b"f(b);\n"}
    path, ids = history(one, {**one, b"a.c": b"f(b);\n"}, Made(both, parents=(0, 1)))
    case: Any = SimpleNamespace(fix=(ids[2],), poc=SimpleNamespace(carry=("fuzz/*",)))
    with Repository(path) as repository:
        assert find_fix_loss(repository, case) == ("", "")


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
        found = note_frame_missing(repository, ids[1], frames)
    assert told in found and bool(found) == bool(told)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "vic"),
    [
        ("fix a crash\n\nIntroduced by fix #818 Feb 7 2022.\n", True),
        ("fix\n\nregression, added on 2022-02-07\n", True),
        ("fix\n\nReported on Feb 7 2022.\n", False),  # the report's day, not the commit's
        ("fix\n\nIntroduced Feb 17 2022 or feb 7 20221\n", False),
        ("fix\n\nAdded a check on Feb 7 2022.\n", False),  # the fix's own day
        ("fix\n\n(cherry picked from commit {vic})\nNot introduced by {vic}\n", False),
        ("fix\n\nleak caused by bad input, reported 2022-02-07\n", False),
        ("fix\n\nintroduced in release 2022-02-07.1\n", False),
        ("fix\n\nFixes: {vic}\n", True),
        ("fix\n\nFixes: {fix}\n", False),
        ("fix\n\n0123456789ab {vic}0\n", False),
    ],
)
def test_a_fix_that_says_what_brought_the_weakness_in(tmp_path: Path, said: str, vic: bool) -> None:
    def git(*words: str) -> str:
        asked = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b", *words]
        when = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), "2022-02-07T12:47:13 +0000")
        env = {**os.environ, **when}
        done = subprocess.run(asked, check=True, capture_output=True, text=True, env=env)
        return done.stdout.strip()

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "bring it in")
    brought = git("rev-parse", "HEAD")
    shown = said.format(vic=brought[:10], fix="fedcba9876")
    git("commit", "-q", "--allow-empty", "-m", shown)
    with Repository(tmp_path) as repository:
        assert named_by(repository, [git("rev-parse", "HEAD")], brought) is vic
        assert not named_by(repository, ["0" * 40], brought)
        assert named_by(repository, ["0" * 40, git("rev-parse", "HEAD")], brought) is vic
