"""Shapes of patches that git does not read, named as what they are."""

from __future__ import annotations

import time

import pytest

from harness.grade.apply import examine
from harness.grade.decide import Decided
from parsers.patch import misshapen

HUNK = "@@ -1 +1 @@\n-a\n+b\n"
RIGHT = f"diff --git a/a.c b/a.c\nindex 1..2 100644\n--- a/a.c\n+++ b/a.c\n{HUNK}"


def without_prefix(path: str) -> str:
    return f"diff --git {path} {path}\nindex 1..2 100644\n--- {path}\n+++ {path}\n{HUNK}"


@pytest.mark.parametrize(
    ("patch", "words"),
    [
        (RIGHT, ""),
        (RIGHT.replace("a/a.c", "i/a.c").replace("b/a.c", "w/a.c"), ""),
        (without_prefix("README"), "diff.noprefix"),
        (without_prefix("src/a.c"), "diff.noprefix"),
        (without_prefix("src/a.c").replace("\n", "\r\n"), "diff.noprefix"),
        (without_prefix("a.c") + without_prefix("src/b.c"), "diff.noprefix"),
        (RIGHT + without_prefix("src/b.c"), ""),
        (RIGHT.replace("\n", "\\n"), "one line"),
        ('"' + RIGHT.replace("\n", "\\n") + '"\n', "one line"),
        (RIGHT.replace("-a", '-printf("\\n");'), ""),
        ("--- a/a.c\\n+++ b/a.c\\n@@ -1 +1 @@\\n", "one line"),
        ("no patch", ""),
    ],
)
def test_a_shape_is_named(patch: str, words: str) -> None:
    assert words in misshapen(patch.encode())
    assert bool(misshapen(patch.encode())) is bool(words)


@pytest.mark.parametrize(
    ("patch", "words"),
    [
        (without_prefix("README"), "refused: its paths lack the first folder"),
        (RIGHT.replace("\n", "\\n"), "it is one line that holds"),
        ("--- a/a.c\\n+++ b/a.c\\n@@ -1 +1 @@\\n", "it is one line that holds"),
        ("nothing", "it is not a unified diff"),
    ],
)
def test_the_reason_of_a_refusal_says_it(patch: str, words: str) -> None:
    with pytest.raises(Decided, match=words):
        examine(patch.encode())


def test_a_patch_that_git_reads_elsewhere_keeps_what_is_unusual_in_it() -> None:
    assert "diff.noprefix" in examine(without_prefix("src/a.c").encode()).shape
    assert examine(RIGHT.encode()).shape == ""


def test_hostile_patches_take_linear_time() -> None:
    started = time.process_time()
    for piece in (b"diff --git ", b"--- ", b"diff --git a a\n", b"\\n--- ", b"a " * 5):
        misshapen(piece * 200_000)
    assert time.process_time() - started < 3
