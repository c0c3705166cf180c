"""Gold and the fixed patch of a task, made of a history."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from arena.building.patches import fixes, gold
from szz.repository import Repository
from tests.szz.conftest import Maker, history  # noqa: F401 - a fixture

BODY = b"".join(b"int line%d;\n" % n for n in range(12))


def made(path: Path, vic: str, vfc: str) -> dict[str, bytes]:
    with Repository(path) as repository:
        return {fixed.how: fixed.patch for fixed in fixes(repository, vic, vfc)}


def applied(path: Path, pvic: str, patch: bytes, name: bytes) -> bytes:
    """A file's content at PVIC with the patch."""

    def git(*args: bytes, stdin: bytes = b"") -> bytes:
        command = [b"git", *args]
        done = subprocess.run(command, cwd=path, check=True, capture_output=True, input=stdin)
        return done.stdout

    git(b"read-tree", pvic.encode())
    git(b"apply", b"--cached", b"-", stdin=patch)
    return git(b"cat-file", b"blob", b":" + name)


def test_gold_is_what_the_vic_changed(history: Maker) -> None:  # noqa: F811
    path, ids = history({b"f.c": BODY}, {b"f.c": BODY + b"bad;\n"}, {b"f.c": BODY})
    with Repository(path) as repository:
        assert b"+bad;" in gold(repository, ids[1])


@pytest.mark.slow
def test_a_fix_that_merges_comes_alone_first(history: Maker) -> None:  # noqa: F811
    path, ids = history(
        {b"f.c": BODY},
        {b"f.c": BODY + b"bad;\n"},
        {b"f.c": b"int first;\n" + BODY + b"bad;\n"},
        {b"f.c": b"int first;\n" + BODY + b"good;\n"},
    )
    found = made(path, ids[1], ids[3])
    assert list(found) == ["merge", "feature"]
    assert applied(path, ids[0], found["merge"], b"f.c") == BODY + b"good;\n"
    assert applied(path, ids[0], found["feature"], b"f.c") == b"int first;\n" + BODY + b"good;\n"


@pytest.mark.slow
def test_what_conflicts_beside_sources_is_left_out(history: Maker) -> None:  # noqa: F811
    path, ids = history(
        {b"f.c": BODY, b"NEWS": b"1\n"},
        {b"f.c": BODY + b"bad;\n", b"NEWS": b"1\n"},
        {b"f.c": BODY + b"bad;\n", b"NEWS": b"2\n"},
        {b"f.c": BODY + b"good;\n", b"NEWS": b"3\n"},
    )
    found = made(path, ids[1], ids[3])
    assert list(found) == ["sources", "tree"]
    assert b"NEWS" not in found["sources"]


@pytest.mark.slow
def test_a_source_in_conflict_is_taken_as_it_is_at_the_fix(history: Maker) -> None:  # noqa: F811
    name = b"a [b] *.c"
    path, ids = history(
        {name: b"a\n", b"g.c": BODY, b"h.c": b"h\n"},
        {name: b"bad\n", b"g.c": BODY, b"h.c": b"h\n"},
        {name: b"moved bad\n", b"g.c": b"later\n" + BODY, b"h.c": b"x\n"},
        {name: b"moved good\n", b"g.c": b"later\n" + BODY + b"good\n"},
    )
    found = made(path, ids[1], ids[3])
    assert list(found) == ["needed", "files", "feature"]  # needed is the whole tree here
    assert applied(path, ids[0], found["files"], name) == b"moved good\n"
    assert applied(path, ids[0], found["files"], b"g.c") == BODY + b"good\n"
    assert b"h.c" in found["files"] and b"deleted file" in found["files"]


@pytest.mark.slow
def test_a_feature_that_was_mended_twice_is_taken_as_it_is_at_the_fix(
    history: Maker,  # noqa: F811
) -> None:
    """The fix alone leaves its first fault; the whole tree brings rules of the build, which no patch may."""
    old = {b"a.c": BODY, b"Makefile": b"1\n", b"gone.c": b"x\n"}
    path, ids = history(
        old,
        {**old, b"new.c": b"bad\n" + BODY + b"bad\n", b"a.c": BODY + b"new\n", b"gone.c": b"y\n"},
        {b"new.c": b"good\n" + BODY + b"bad\n", b"a.c": BODY + b"new\n", b"Makefile": b"2\n"},
        {b"new.c": b"good\n" + BODY + b"good\n", b"a.c": BODY + b"new\n", b"Makefile": b"2\n"},
    )
    found = made(path, ids[1], ids[3])
    assert list(found) == ["merge", "feature", "tree"]
    assert applied(path, ids[0], found["merge"], b"new.c") == b"bad\n" + BODY + b"good\n"
    assert applied(path, ids[0], found["feature"], b"new.c") == b"good\n" + BODY + b"good\n"
    assert b"Makefile" not in found["feature"] and b"Makefile" in found["tree"]
    assert b"deleted file" in found["feature"]
