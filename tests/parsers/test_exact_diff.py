from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.exact_diff import DiffDoesNotApply, apply_diff, make_diff

BASE = b"a\nb\nc\nd\ne\nf\ng\nh\n"
DIFF = b"""\
--- a/reference/solution.py
+++ b/reference/solution.py
@@ -2,3 +2,4 @@
 b
-c
+C
+CC
 d
"""
NAME = "reference/solution.py"
FEW_LINES = st.lists(st.sampled_from([b"", b"a", b"b", b" c", b"-d", b"\\e", b"f\r", b"@@"]))
CONTENT = st.builds(
    lambda lines, end: b"\n".join(lines) + end, FEW_LINES, st.sampled_from([b"", b"\n"])
)


def test_a_hunk_replaces_its_lines() -> None:
    assert apply_diff(DIFF, BASE, NAME) == b"a\nb\nC\nCC\nd\ne\nf\ng\nh\n"


def test_headers_of_git_and_a_blank_context_line_without_its_space_are_taken() -> None:
    headers = b"diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n"
    assert apply_diff(headers + b"@@ -1,2 +1,2 @@\n\n-b\n+c\n", b"\nb\n", "x") == b"\nc\n"


@given(CONTENT, CONTENT)
def test_what_is_made_gives_the_file_back(base: bytes, target: bytes) -> None:
    diff = make_diff(base, target, "x")
    assert (diff == b"") == (base == target)
    if diff:
        assert apply_diff(diff, base, "x") == target


@given(CONTENT, CONTENT)
def test_git_gives_the_same(
    tmp_path_factory: pytest.TempPathFactory, base: bytes, target: bytes
) -> None:
    folder = tmp_path_factory.mktemp("git")
    (folder / "x").write_bytes(base)
    if diff := make_diff(base, target, "x"):
        subprocess.run(["git", "apply", "-p1"], input=diff, cwd=folder, check=True)
    assert (folder / "x").read_bytes() == target


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b" b\n", b" B\n", "line 3: reference/solution.py has other lines at line 2"),
        (b"-c\n", b"-x\n", "line 3: reference/solution.py has other lines at line 2"),
        (b"@@ -2,3 +2,4 @@", b"@@ -3,3 +3,4 @@", "line 3: reference/solution.py has other lines at line 3"),
        (b"@@ -2,3 +2,4 @@", b"@@ -2,3 +9,4 @@", "line 3: the new lines would not begin at line 9"),
        (b"@@ -2,3 +2,4 @@", b"@@ -2,3 +2,3 @@", "line 3: the hunk's lines disagree"),
        (b"@@ -2,3 +2,4 @@", b"@@ -2,9 +2,9 @@", "line 3: the hunk has fewer lines"),
        (b"reference/", b"other/", "it is not a diff of reference/solution.py alone"),
        (b" d\n", b" d\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", "it is not a diff of"),
        (b"+++ b/reference/solution.py", b"+++ /dev/null", "it is not a diff of"),
        (b" b\n", b"\r\n", "line 3: a line of the hunk begins with none of"),
        (b" b\n", b"\\ b\n b\n", "line 3: an end of file is noted where no line is"),
        (b" b\n", b" b\n\\ No newline at end of file\n", "line 3: reference/solution.py has other"),
        (b"+CC\n", b"+CC\n\\ No newline at end of file\n", "a line without an end would not be the last"),
    ],
)  # fmt: skip
def test_what_does_not_fit_exactly_is_refused(old: bytes, new: bytes, message: str) -> None:
    assert DIFF.count(old) >= 1
    with pytest.raises(DiffDoesNotApply) as refused:
        apply_diff(DIFF.replace(old, new), BASE, NAME)
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize("diff", [b"", b"some words\n", b"--- a/x\n+++ b/x\n", b"\xff" * 50])
def test_what_is_no_diff_is_refused(diff: bytes) -> None:
    with pytest.raises(DiffDoesNotApply):
        apply_diff(diff, b"a\n", "x")


def test_hunks_that_overlap_are_refused() -> None:
    second = b"@@ -4 +5 @@\n-d\n+D\n"
    with pytest.raises(
        DiffDoesNotApply, match="line 9: it begins before the end of the one before"
    ):
        apply_diff(DIFF + second, BASE, NAME)


def test_a_binary_diff_is_refused(tmp_path: Path) -> None:
    diff = b"diff --git a/x b/x\nindex 1..2 100644\nBinary files a/x and b/x differ\n"
    with pytest.raises(DiffDoesNotApply, match="not a plain diff of text"):
        apply_diff(diff, b"a\n", "x")
