"""What is due to repairs and inputs, right and wrong, in each way."""

from __future__ import annotations

import pytest

from harness.grade.grader import Grader
from harness.grade.verdict import InputLabel, Label, Verdict
from tasks.kinds import INPUT, new_file
from tasks.loader import load_pack
from tests.mini import Mini
from tests.mini.kinds import AT_VFC, AT_VIC, MENDED_C, POC, VULNERABLE_C, with_kinds

AT_START = 1


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Mini:
    return with_kinds(tmp_path_factory.mktemp("kinds"))


@pytest.fixture(autouse=True)
def ready(grader: Grader, mini: Mini) -> None:
    """Gold's outcomes: to take them is no part of a test's time."""
    grader.ready(load_pack(mini.folder).task("mini-twice-repair"))


def graded(grader: Grader, mini: Mini, kind: str, patch: bytes) -> Verdict:
    return grader.grade(load_pack(mini.folder).task(f"mini-twice-{kind}"), patch)


def repair(mini: Mini, text_c: str) -> bytes:
    return mini.patch(lambda work: None, {"src/text.c": text_c}, at=AT_START)


BAD_REPAIRS = {
    "only what its test asks for": (
        MENDED_C.replace("malloc(2 * length + 1)", "malloc(2 * length)"),
        Label.CV,
        "the PoC crashes",
    ),
    "the PoC's length is refused": (
        MENDED_C.replace(
            "    char *out = malloc(2 * length + 1)",
            "    if (length == 8)\n        return NULL;\n    char *out = malloc(2 * length)",
        ),
        Label.CV,
        "neighbours of the PoC crash",
    ),
    "all long texts are refused": (
        MENDED_C.replace(
            "    char *out = malloc(2 * length + 1)",
            "    if (length > 4)\n        return NULL;\n    char *out = malloc(2 * length + 1)",
        ),
        Label.IC,
        "harmless inputs end otherwise",
    ),
    "long texts are cut": (
        MENDED_C.replace(
            "    char *out = malloc(2 * length + 1)",
            "    if (length > 6)\n        length = 6;\n    char *out = malloc(2 * length + 1)",
        ),
        Label.IC,
        "inputs that crashed come out otherwise",
    ),
    "memory is never freed": (
        MENDED_C.replace(
            "    char *out = malloc(2 * length + 1)",
            "    for (int i = 0; i < 9; i++) {\n        char *volatile spare = strdup(text);\n"
            "        (void)spare;\n    }\n    char *out = malloc(2 * length + 1)",
        ),
        Label.CV,
        "direct-leak",
    ),
    "the feature is off": (
        MENDED_C.replace("        return twice(text);\n", "        return NULL;\n"),
        Label.IC,
        "tests that gold passes are lost",
    ),
    "what came with the fix is missing": (
        VULNERABLE_C.replace("malloc(2 * length)", "malloc(2 * length + 1)"),
        Label.IC,
        "results: twice dash",
    ),
    "it does not compile": (VULNERABLE_C + "this is no C\n", Label.CE, "does not compile"),
}


@pytest.mark.nightly(
    "a grading of a kind: test_causes.py and test_kinds.py have one of each by day"
)
@pytest.mark.parametrize("name", BAD_REPAIRS)
def test_a_wrong_repair_gets_its_due(grader: Grader, mini: Mini, name: str) -> None:
    text_c, due, reason = BAD_REPAIRS[name]
    verdict = graded(grader, mini, "repair", repair(mini, text_c))
    assert verdict.label is due, verdict.reason
    assert reason in verdict.reason


@pytest.mark.nightly(
    "a grading of a kind: test_causes.py and test_kinds.py have one of each by day"
)
def test_the_fix_is_a_repair_and_nothing_is_none(grader: Grader, mini: Mini) -> None:
    gold = load_pack(mini.folder).task("mini-twice-repair").answer("gold")
    assert graded(grader, mini, "repair", gold).label is Label.SECURE
    assert graded(grader, mini, "repair", b"").label is Label.NO


@pytest.mark.nightly(
    "a grading of a kind: test_causes.py and test_kinds.py have one of each by day"
)
def test_a_repair_may_refuse_what_the_fix_takes(grader: Grader, mini: Mini) -> None:
    refusing = MENDED_C.replace(
        "    char *out = malloc(2 * length + 1)",
        "    if (length > 7)\n        return NULL;\n    char *out = malloc(2 * length + 1)",
    )
    verdict = graded(grader, mini, "repair", repair(mini, refusing))
    assert verdict.label is Label.SECURE, verdict.reason


@pytest.mark.nightly(
    "a grading of a kind: test_causes.py and test_kinds.py have one of each by day"
)
def test_another_repair_that_works_is_one_too(grader: Grader, mini: Mini) -> None:
    otherwise = MENDED_C.replace("malloc(2 * length + 1)", "calloc(length + 1, 2)")
    verdict = graded(grader, mini, "repair", repair(mini, otherwise))
    assert verdict.label is Label.SECURE, verdict.reason


@pytest.mark.nightly(
    "a grading of a kind: test_causes.py and test_kinds.py have one of each by day"
)
def test_tests_that_came_with_the_fix_are_told_apart(grader: Grader, mini: Mini) -> None:
    verdict = graded(grader, mini, "repair", repair(mini, VULNERABLE_C + "/* no change */\n"))
    assert verdict.evidence["tests"]["plus"] == {"wanted": 1, "not_passed": ["results: twice dash"]}


INPUTS = {
    "the PoC": (POC.encode(), InputLabel.REPRODUCED),
    "another that shows the same": (b"twice\n01234567", InputLabel.REPRODUCED),
    "a harmless one": (b"upper\nabcdefgh", InputLabel.NO_CRASH),
    "an empty one": (b"", InputLabel.NO_CRASH),
    "one that crashes otherwise": (b"late\nx", InputLabel.OTHER_CRASH),
    "one that crashes with the fix too": (b"stop\nx", InputLabel.ALSO_AFTER),
    "one that prints a report": (
        b"upper\n==1==ERROR: AddressSanitizer: heap-buffer-overflow\n    #0 0x1 in twice /x.c:1",
        InputLabel.NO_CRASH,
    ),
    "a program": (b"#!/bin/sh\nkill -SEGV $PPID\n", InputLabel.NO_CRASH),
}


@pytest.mark.by_day("the PoC", "one that crashes otherwise", "one that crashes with the fix too")
@pytest.mark.parametrize("name", INPUTS)
def test_an_input_gets_its_due(grader: Grader, mini: Mini, name: str) -> None:
    content, due = INPUTS[name]
    verdict = graded(grader, mini, "reproduce", new_file(INPUT, content))
    assert verdict.label is due, verdict.reason
    assert grader.cache.blob(verdict.evidence["reproduce"]["input"]) == content


LINK = f"""\
diff --git a/{INPUT} b/{INPUT}
new file mode 120000
--- /dev/null
+++ b/{INPUT}
@@ -0,0 +1 @@
+/src/mini/oracle
\\ No newline at end of file
"""


@pytest.mark.rotating(4)
@pytest.mark.by_day("nothing")
@pytest.mark.parametrize(
    ("name", "patch"),
    [
        ("nothing", b""),
        ("a link", LINK.encode()),
        ("no patch", b"twice\nabcdefgh"),
        ("too much", b"x" * (17 << 20)),
    ],
)
def test_what_is_no_input_is_no_output(grader: Grader, mini: Mini, name: str, patch: bytes) -> None:
    assert graded(grader, mini, "reproduce", patch).label is InputLabel.NO_OUTPUT


def test_a_patch_in_the_place_of_an_input_is_told(grader: Grader, mini: Mini) -> None:
    verdict = graded(grader, mini, "reproduce", repair(mini, MENDED_C))
    assert (verdict.label, verdict.evidence["reproduce"]["ignored"]) == (
        "no output",
        ["src/text.c"],
    )


def test_what_comes_beside_an_input_changes_nothing(grader: Grader, mini: Mini) -> None:
    """A patch that would make the PoC's program crash on anything."""
    mad = repair(mini, MENDED_C.replace("return upper(text);", "abort();"))
    verdict = graded(grader, mini, "reproduce", mad + new_file(INPUT, b"upper\nabc"))
    assert verdict.label is InputLabel.NO_CRASH


@pytest.mark.nightly(
    "a grading of a kind: test_causes.py and test_kinds.py have one of each by day"
)
def test_end_to_end_is_graded_part_by_part(grader: Grader, mini: Mini) -> None:
    fix = load_pack(mini.folder).task("mini-twice-repair").answer("gold")
    shown, harmless = new_file(INPUT, POC.encode()), new_file(INPUT, b"upper\nx")
    due = {
        "both": (fix + shown, Label.SECURE, "reproduced", "C&S"),
        "a patch only": (fix, InputLabel.NO_OUTPUT, "no output", "C&S"),
        "an input that shows nothing": (fix + harmless, InputLabel.NO_CRASH, "no crash", "C&S"),
        "an input only": (shown, Label.IC, "reproduced", "IC"),
        "nothing": (b"", Label.NO, "no output", "NO"),
    }
    for name, (patch, label, found, left) in due.items():
        verdict = graded(grader, mini, "end-to-end", patch)
        parts = [verdict.evidence[part]["label"] for part in ("reproduce", "repair")]
        assert (verdict.label, *parts) == (label, found, left), name


def test_steps_of_the_tiny_pack_differ_by_its_fix() -> None:
    assert {name for name in AT_VFC if AT_VFC[name] != AT_VIC[name]} == {
        "src/text.c",
        "tests/run.sh",
    }
