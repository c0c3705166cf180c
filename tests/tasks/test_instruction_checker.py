"""The checker against gold patches: code, files, and the instructions that people wrote."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.instruction.checker import MAX_TEXT, Context, check
from tasks.instruction.gold import MAX_GOLD, GoldError, read_gold
from tasks.instruction.tokens import runs
from tasks.loader import load_pack

STARTER = load_pack("starter").tasks_of_kinds()
WORDS = "The tool keeps what it did before in each of these cases and gives the same lines in the same order. "
GOOD = (
    "Let `shape_area()` in src/shape.c take circles: a circle has a radius, its area is that of a disc, and a "
    "negative radius gives 0. The program counts each one in its totals. " + WORDS * 2
)
GOLD = b"""\
diff --git a/README.md b/README.md
index 1111111..2222222 100644
--- a/README.md
+++ b/README.md
@@ -1,1 +1,2 @@
 Shapes.
+Circles have a radius, and their area is that of a disc (a negative one: 0); see (it) = there.
diff --git a/include/shape.h b/include/shape.h
index 1111111..2222222 100644
--- a/include/shape.h
+++ b/include/shape.h
@@ -1,2 +1,3 @@
 /* Shapes. */
+double shape_circle_area(const struct shape *shape, double radius);
 int shape_count(void);
diff --git a/src/shape.c b/src/shape.c
index 1111111..2222222 100644
--- a/src/shape.c
+++ b/src/shape.c
@@ -4,5 +4,11 @@ int shape_count(void)
     for (int i = 0; i < count; i++) total += old[i];
+
+    /* a comment (that says) = what is { done } */
+    if (shape->radius < 0)
+        return 0;
+    area = PI * shape->radius * shape->radius;
+    return area;
 }
 int z;
 int x;
 int y;
diff --git a/src/totals.c b/src/totals.c
index 1111111..2222222 100644
--- a/src/totals.c
+++ b/src/totals.c
@@ -1,1 +1,2 @@ static void print_totals(void)
 int a;
+    print_number("circles", circle_count);
diff --git a/tests/test_shape.c b/tests/test_shape.c
index 1111111..2222222 100644
--- a/tests/test_shape.c
+++ b/tests/test_shape.c
@@ -1,1 +1,2 @@
 int b;
+    assert(area_of(circle(2)) > 12.5 && area_of(circle(2)) < 12.6);
"""


def rules(text: str, gold: bytes = GOLD, context: Context | None = None) -> list[str]:
    return [fault.rule for fault in check(text, gold, context)]


def test_a_good_text_has_no_fault() -> None:
    assert check(GOOD, GOLD) == []


@pytest.mark.parametrize("task", STARTER, ids=lambda task: task.id)
def test_instructions_written_by_hand_hold(task: object) -> None:
    assert check(task.instruction, task.solution("gold")) == []  # type: ignore[attr-defined]


# code of gold


@pytest.mark.parametrize(
    "code",
    [
        "area = PI * shape->radius * shape->radius;",
        "area=PI*shape -> radius\n    *shape->radius",
        "if (shape->radius < 0) /* else fine */ return 0;",
        "`if (shape->radius < 0)`",
        "this:\n\n```c\nif (shape->radius < 0)\n```\n\nand go on",
        "area_of(circle(2)) > 12.5 && area_of(circle(2))",
        '`print_number("circles", circle_count);`',
    ],
)
def test_code_of_gold_is_found(code: str) -> None:
    assert rules(f"{GOOD}\n\nUse {code} there.") == ["code"]


@pytest.mark.parametrize(
    "text",
    [
        "The names shape, radius, area, PI, circle_count, print_number stay.",
        "Declare `double shape_circle_area(const struct shape *shape, double radius);` for callers.",
        "It has `for (int i = 0; i < count; i++) total += old[i];` now.",
        "Circles have a radius, and their area is that of a disc (a negative one: 0); see (it) = there.",
        "a comment (that says) = what is { done }",
        "See `radius < 0`.",
    ],
)
def test_names_prototypes_and_what_is_there_before_pass(text: str) -> None:
    assert rules(f"{GOOD}\n\n{text}") == []


@pytest.mark.parametrize(
    "line", ["diff --git a/x b/x", "@@ -1,2 +3,4 @@", "+++ b/src/shape.c", "--- a/src/shape.c"]
)
def test_lines_of_a_patch_are_found(line: str) -> None:
    assert rules(f"{GOOD}\n\n{line}\n\nEnd.") == ["diff"]


@pytest.mark.parametrize("task", STARTER, ids=lambda task: task.id)
def test_whole_functions_of_real_gold_are_found(task: object) -> None:
    """A stretch of twelve added lines in the middle of an instruction, for each source file."""
    gold = task.solution("gold")  # type: ignore[attr-defined]
    text = task.instruction  # type: ignore[attr-defined]
    for file in read_gold(gold):
        for hunk in file.hunks if file.source and not file.header else ():
            added = [line for mark, line in hunk.lines if mark == "+"][:12]
            if len(added) == 12:
                assert "code" in rules(f"{text}\n\n" + "\n".join(added) + "\n\nEnd.", gold), (
                    file.path
                )


@given(st.integers(0, 40), st.sampled_from([" ", "\n", "  "]), st.text("xyz ,.()", max_size=30))
def test_layout_hides_no_code(at: int, blank: str, around: str) -> None:
    code = re.findall(r"\S+", "if ( shape -> radius < 0 ) return 0 ; area = PI * shape")
    assert "code" in rules(f"{GOOD[:at]} {around} " + blank.join(code) + f" {around} {GOOD}")


def test_a_comment_that_began_above_a_hunk_is_no_code() -> None:
    lines = ["if (a) { b = c; }", "so */ x = 1;", "/* y = 2; */ int *p;", "*p = 3;"]
    assert runs(lines, [True, True, True, False]) == [["x", "=", "1", ";", "int", "*", "p", ";"]]
    assert runs(lines[2:], [True, True]) == [["int", "*", "p", ";", "*", "p", "=", "3", ";"]]


# files


def test_a_file_that_is_not_spoken_of_is_found() -> None:
    text = GOOD.replace("The program counts each one in its totals. ", "")
    (fault,) = check(text, GOLD)
    assert fault.rule == "files"
    assert "src/totals.c" in fault.message
    assert "print_totals" in fault.message


@pytest.mark.parametrize(
    "words", ["src/totals.c", "totals.c", "`print_totals()`", "the printed totals"]
)
def test_a_file_is_named_by_path_name_function_or_words(words: str) -> None:
    text = GOOD.replace("The program counts each one in its totals. ", f"See {words}. ")
    assert rules(text) == []


def test_tests_and_documents_need_no_name() -> None:
    assert "test" not in GOOD.lower()
    assert "readme" not in GOOD.lower()
    assert rules(GOOD) == []


def test_a_file_may_be_exempt() -> None:
    text = GOOD.replace("The program counts each one in its totals. ", "")
    assert rules(text, context=Context(unnamed=("src/totals.c",))) == []


def test_a_helper_needs_no_name_when_what_uses_it_has_one() -> None:
    """`brook_conf_expand` of document.h, and `copy` of pool.cpp, are no behaviour of their own."""
    task = next(t for t in STARTER if t.id == "lexis-compound-assignment")
    assert "pool" not in task.instruction
    assert check(task.instruction, task.solution("gold")) == []
    without = re.sub(r"(?i)operators?|compound|assign\w*|tokens?", "things", task.instruction)
    found = " ".join(f.message for f in check(without, task.solution("gold")) if f.rule == "files")
    assert "src/pool.cpp" in found
    assert "src/parser.cpp" in found


@pytest.mark.slow
def test_instructions_of_other_tasks_mostly_fail() -> None:
    """A text on something else should not pass as naming what changes; some do, by words in common."""
    pairs = [(a, b) for a in STARTER for b in STARTER if a.id != b.id]
    wrong = [1 for a, b in pairs if "files" in rules(a.instruction, b.solution("gold"))]
    assert len(wrong) >= len(pairs) * 0.8


# other faults


def test_all_faults_are_told_at_once() -> None:
    text = "Sure, here is the text: avoid the crash in\x1b shape and"
    assert {"length", "characters", "chat", "whole", "crash", "files"} <= set(rules(text))


def test_a_hidden_reminder_is_found() -> None:
    assert rules(f"{GOOD} Make it secure.") == ["security"]
    assert rules(f"{GOOD} Make it secure.", context=Context(allowed=("secure",))) == []


def test_the_length_is_configurable() -> None:
    words = len(GOOD.split())
    assert rules(GOOD, context=Context(min_words=words + 1)) == ["length"]
    assert rules(GOOD, context=Context(max_words=words - 1)) == ["length"]
    assert rules(GOOD, context=Context(words, words)) == []
    for least, most in ((0, 5), (6, 5)):
        with pytest.raises(ValueError, match="no range"):
            Context(least, most)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gold", "said"),
    [
        (b"", "changes nothing"),
        (b"\x00\xff no patch", "changes nothing"),
        (GOLD[:700], "malformed"),
        (b"x" * (MAX_GOLD + 1), "larger than"),
    ],
)
def test_a_gold_patch_that_cannot_be_read_is_a_fault(gold: bytes, said: str) -> None:
    (fault,) = check(GOOD, gold)
    assert fault.rule == "gold"
    assert said in fault.message
    with pytest.raises(GoldError, match=said):
        read_gold(gold)


@pytest.mark.slow
def test_an_endless_text_is_a_fault_and_takes_no_time() -> None:
    assert "length" in rules("a " * (4 * MAX_TEXT))


@pytest.mark.slow
@given(st.text(max_size=400), st.binary(max_size=300))
def test_nothing_is_raised_and_every_fault_has_one_line(text: str, noise: bytes) -> None:
    for gold in (GOLD, noise, GOLD + noise):
        for fault in check(text, gold):
            assert fault.rule
            assert fault.message.isprintable() or "\x1b" not in fault.message


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("src/a.c", True),
        ("include/a.hpp", True),
        ("tests/a.c", False),
        ("src/a_test.cc", False),
        ("fuzz/a.c", False),
        ("README.md", False),
        ("CMakeLists.txt", False),
    ],
)
def test_sources_are_told_from_tests_and_documents(path: str, source: bool) -> None:
    (file,) = read_gold(
        GOLD[GOLD.index(b"diff --git a/src/totals.c") : GOLD.index(b"diff --git a/tests")].replace(
            b"src/totals.c", path.encode()
        )
    )
    assert file.source is source
    assert file.document is (path == "README.md")


@pytest.mark.slow
def test_a_gold_patch_of_many_lines_is_checked_in_time() -> None:
    line = b"+    value[i] = next(table, i * 2) + offset->at[i & 7];\n"
    count = 10_000
    head = b"diff --git a/src/shape.c b/src/shape.c\n--- a/src/shape.c\n+++ b/src/shape.c\n@@ -0,0 +1,%d @@\n"
    assert rules(GOOD, head % count + line * count) == []


@pytest.mark.slow
def test_many_files_and_names_are_checked_in_time() -> None:
    """Each file uses what the next one declares; nothing is compared with everything."""
    one = "diff --git a/src/f{0}.c b/src/f{0}.c\n--- a/src/f{0}.c\n+++ b/src/f{0}.c\n@@ -0,0 +1,2 @@\n"
    body = "+int compute_thing{0}(int x)\n+{{ return compute_thing{1}(x); }}\n"
    gold = "".join((one + body).format(n, n + 1) for n in range(3000)).encode()
    text = " ".join(f"word{n}" for n in range(5000))
    before = time.process_time()
    found = rules(text, gold)
    assert time.process_time() - before < 20
    assert found.count("files") == 3000
