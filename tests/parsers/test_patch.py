"""What patches say, as git writes them, as others do, and malformed."""

from __future__ import annotations

import time

import pytest

from parsers.patch import FileChange, fold_crlf, parse_patch

EDIT = b"""\
diff --git a/src/x.c b/src/x.c
index 0123456..89abcde 100644
--- a/src/x.c
+++ b/src/x.c
@@ -1,3 +1,4 @@ int f(void)
 one
-two
+TWO
+two and a half
 three
@@ -10 +11,2 @@
-ten
+TEN
+eleven
\\ No newline at end of file
"""
HUNK = b"@@ -1 +1 @@\n-a\n+b\n"


def only(data: bytes) -> FileChange:
    patch = parse_patch(data)
    assert patch.problems == ()
    (change,) = patch.files
    return change


def test_an_edit() -> None:
    change = only(EDIT)
    assert (change.old, change.new, change.status) == ("src/x.c", "src/x.c", "modified")
    assert (change.added, change.deleted) == ((2, 3, 11, 12), (2, 10))
    assert (change.old_mode, change.new_mode, change.binary) == ("100644", "100644", False)


@pytest.mark.parametrize(
    ("data", "old", "new", "status"),
    [
        (b"diff --git a/n b/n\nnew file mode 100755\nindex 0000..e69d\n", None, "n", "added"),
        (b"diff --git a/n b/n\ndeleted file mode 100644\nindex e69d..0000\n", "n", None, "deleted"),
        (b"diff --git a/n b/n\nold mode 100644\nnew mode 100755\n", "n", "n", "mode"),
        (
            b"diff --git a/p q b/r s\nsimilarity index 100%\nrename from p q\nrename to r s\n",
            "p q",
            "r s",
            "renamed",
        ),
        (b"diff --git a/p b/q\ncopy from p\ncopy to q\n", "p", "q", "copied"),
        (b"diff --git a/n b/n\n", "n", "n", "modified"),
        (
            b"diff --git a/a b c b/a b c\nold mode 100644\nnew mode 100755\n",
            "a b c",
            "a b c",
            "mode",
        ),
        (
            b'diff --git "a/t\\303\\244.c" "b/t\\303\\244.c"\nnew file mode 100644\n',
            None,
            "t\u00e4.c",
            "added",
        ),
        (
            b'diff --git a/x "b/q\\"\\t\\\\"\nrename from x\nrename to "q\\"\\t\\\\"\n',
            "x",
            'q"\t\\',
            "renamed",
        ),
        (
            b"diff --git src/x.c src/x.c\n--- src/x.c\n+++ src/x.c\n",
            "x.c",
            "x.c",
            "modified",
        ),
        (
            b"diff --git a/x.c a/x.c\nnew file mode 100644\n--- /dev/null\n+++ a/x.c\n",
            None,
            "x.c",
            "added",
        ),
        (b"diff --git a/x.c b/y.c\n--- a/x.c\n+++ b/y.c\n", "x.c", "y.c", "renamed"),
        (b"diff --git i/x.c w/x.c\n--- i/x.c\n+++ w/x.c\n", "x.c", "x.c", "modified"),
        (b"--- a/x\t2024-01-01 00:00\n+++ b/x\t2024-01-02\n" + HUNK, "x", "x", "modified"),
        (b"--- a/x 2024-01-01 00:00:00 +0000\n+++ b/x 2024-01-02\n" + HUNK, "x", "x", "modified"),
        (b"--- a/x y\n+++ b/x y\n" + HUNK, "x y", "x y", "modified"),
        (b"--- one/x.c\n+++ two/x.c\n" + HUNK, "x.c", "x.c", "modified"),
        (b"--- a/x.c\n+++ a/x.c\n" + HUNK, "x.c", "x.c", "modified"),
        (b"--- a/x.c\n+++ b/x.c.new\n" + HUNK, "x.c", "x.c", "modified"),
        (b"--- a/x.c.orig\n+++ b/x.c\n" + HUNK, "x.c", "x.c", "modified"),
        (b"--- a/x.c\n+++ x.c\n" + HUNK, "x.c", "x.c", "modified"),
        (b"--- /dev/null\n+++ b/new.c\n" + HUNK, None, "new.c", "added"),
        (b"--- /dev/null\n+++ src/new.c\n" + HUNK, None, "new.c", "added"),
        (b"--- a/gone.c\n+++ /dev/null\n" + HUNK, "gone.c", None, "deleted"),
        (b"diff --git a/s p b/s p\n--- a/s p\t\n+++ b/s p\t\n", "s p", "s p", "modified"),
    ],
)
def test_names_and_status(data: bytes, old: str | None, new: str | None, status: str) -> None:
    change = only(data)
    assert (change.old, change.new, change.status) == (old, new, status)


@pytest.mark.parametrize(
    "body",
    [
        b"GIT binary patch\nliteral 3\nKcmZQzWC8#H2LJ>B\n\nliteral 0\nHcmV?d00001\n\n",
        b"Binary files a/i.png and b/i.png differ\n",
    ],
)
def test_binary(body: bytes) -> None:
    change = only(b"diff --git a/i.png b/i.png\nindex 01..02 100644\n" + body)
    assert change.binary and change.added == ()
    assert not parse_patch(b"diff --git a/i b/i\n" + body).empty


def test_counts_rule_over_looks() -> None:
    data = b"""\
--- a/x
+++ b/x
@@ -1,3 +1,3 @@
--- a/y
-diff --git a/z b/z
+++ b/y
+@@ -1 +1 @@
 same
"""
    change = only(data)
    assert (change.new, change.deleted, change.added) == ("x", (1, 2), (1, 2))


def test_text_around_a_patch_is_commentary() -> None:
    data = (
        b"From 0123 Mon Sep 17\nSubject: [PATCH] x\n\n- a list\n+ another\n---\n src/x.c | 3 +++\n\n```diff\n"
        + EDIT
        + b"-- \n2.39.5\n```\n- so I changed x\n+ and y\n"
        + EDIT.replace(b"x.c", b"y.c")
    )
    patch = parse_patch(data)
    assert [change.new for change in patch.files] == ["src/x.c", "src/y.c"]
    assert patch.problems == ()


def test_context_lines_that_lost_their_blank_count() -> None:
    assert only(b"--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n\n+new\n\n").added == (2,)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (EDIT.replace(b"-1,3 +1,4", b"-1,4 +1,5"), "disagree with the counts"),
        (EDIT.replace(b"-1,3 +1,4", b"-1,2 +1,2"), "beyond its hunk's counts"),
        (EDIT.replace(b"-10 +11,2", b"-10,9 +11,9"), "fewer lines"),
        (EDIT.replace(b"@@ -1,3 +1,4 @@", b"@@ ... @@"), "malformed"),
        (EDIT.replace(b"--- a/src/x.c", b"--- a/src/y.c"), "disagree"),
        (b"diff --git a/x b/y\nrename from x\nrename to z\n", "disagree"),
        (b"@@ -1 +1 @@\n-a\n+b\n", "before any file name"),
        (b"diff --cc x\n@@@ -1,1 -1,1 +1,2 @@@\n", "combined"),
        (EDIT.replace(b"\n", b"\r\n"), "CR LF"),
    ],
)
def test_what_is_malformed_is_a_problem(data: bytes, words: str) -> None:
    patch = parse_patch(data)
    assert any(words in problem for problem in patch.problems), patch.problems


def test_properties_of_a_patch() -> None:
    data = (
        EDIT
        + b"diff --git a/p b/q\nrename from p\nrename to q\ndiff --git a/d b/d\ndeleted file mode 1\n"
    )
    patch = parse_patch(data)
    assert patch.renames == {"p": "q"}
    assert patch.touched_paths == {"src/x.c", "q"}
    assert not patch.empty


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"no patch\n", b"diff --git a/x b/x\nindex 1..2\n", b"\0\xff"]
)
def test_empty(data: bytes) -> None:
    assert parse_patch(data).empty


def test_fold_crlf() -> None:
    assert fold_crlf(EDIT.replace(b"\n", b"\r\n")) == EDIT
    assert fold_crlf(EDIT) is None
    assert fold_crlf(b"text\r\n") is None
    file_of_crlf = EDIT.replace(b"two\n", b"two\r\n").replace(b"TWO\n", b"TWO\r\n")
    assert fold_crlf(file_of_crlf) is None
    assert fold_crlf(file_of_crlf.replace(b"\n", b"\r\n")) == file_of_crlf
    assert fold_crlf(EDIT + EDIT.replace(b"\n", b"\r\n")) is None


def test_folding_changes_no_fact() -> None:
    folded = fold_crlf(EDIT.replace(b"\n", b"\r\n"))
    assert folded is not None
    assert parse_patch(EDIT.replace(b"\n", b"\r\n")).files == parse_patch(folded).files


@pytest.mark.nightly("tens of megabytes, or a time of growth")
@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        b"+\n",
        b"diff --git a/x b/x\n",
        b"--- a\n+++ b\n",
        b"@@ -1,9 +1,9 @@\n",
        b"x" * 999_999,
        b"\n",
        b'"\\',
    ],
)
def test_a_hundred_megabytes_are_read_in_bounded_time(unit: bytes) -> None:
    data = b"--- a/x\n+++ b/x\n@@ -1 +1,99999999 @@\n" + unit * (100_000_000 // len(unit))
    started = time.process_time()
    parse_patch(data)
    assert time.process_time() - started < 60


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [b" " * 60_000, b'"' + b"\\" * 60_000, b'"' + b"\\1" * 30_000, b". " * 30_000]
)
def test_long_names_take_linear_time(name: bytes) -> None:
    from parsers.patch import hazards

    started = time.process_time()
    hazards(parse_patch(b"diff --git " + name + b"x\n--- " + name + b"x\n+++ " + name + b"x\n"))
    assert time.process_time() - started < 5
