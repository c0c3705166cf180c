"""Each cause of a label, once in a sandbox: a patch of the tiny task that ends there, and nowhere before.

`test_decide.py` proves the decisions themselves; `test_spoilt.py` has the causes of a sandbox that is spoilt. What else
ends in one of these causes is graded nightly (`test_hostile*.py`, `test_attacks.py` and others).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.grade.decide import LABEL, SPOILT_STEP_CAUSES, Cause
from harness.grade.grader import Grader
from tasks.loader import Task, load_pack
from tests.mini import BASE, CHOICE, FIXED_C, GOLD_C, TEXT_C, TWICE, Mini
from tests.mini.kinds import MENDED_C, with_kinds
from tests.mini.whole import with_all

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Mini:
    return with_all(tmp_path_factory.mktemp("whole"))


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Mini:
    return with_kinds(tmp_path_factory.mktemp("kinds"))


SANITIZED = "#ifdef __has_feature\n#if __has_feature(address_sanitizer)\n%s\n#endif\n#endif\n"


def in_twice(line: str, base: str = GOLD_C) -> str:
    return base.replace("    char *out = malloc(2 *", f"    {line}\n    char *out = malloc(2 *")


# A new argument, which the tests do not pass.
OTHER_SIGNATURE = (
    BASE["src/text.h"].replace("*text);", "*text, int more);"),
    FIXED_C.replace(
        "char *text_apply(const char *mode, const char *text)",
        "char *text_apply(const char *mode, const char *text, int more)",
    ).replace(CHOICE, "    if (more)\n        return NULL;\n" + CHOICE),
    BASE["src/tool.c"].replace("argv[2])", "argv[2], 0)"),
)
# Ends the program as it ends, before anybody is asked whether the sanitizer still reports.
LEAVES_AT_ONCE = """
__attribute__((destructor)) static void late(void)
{
#if defined(__x86_64__)
    __asm__ volatile("syscall" : : "a"(231L), "D"(0L));
#else
    __asm__ volatile("mov x0, #0\\nmov x8, #94\\nsvc #0" : : : "x0", "x8");
#endif
}
"""
GREET = "\nvoid greet(const char *name);\nvoid greet(const char *name)\n{\n    char line[64];\n    %s\n    (void)line;\n}\n"
UNSANITIZED = FIXED_C.replace(
    "static char *twice", '__attribute__((no_sanitize("address")))\nstatic char *twice'
)
ONLY_BY_GCC = GOLD_C.replace(
    "malloc(2 * length)", "malloc(2 * length + (sizeof(__VERSION__) > 12))"
)
NEW_CODE_ONLY_BY_GCC = GOLD_C.replace(
    "return twice(text)", "return sizeof(__VERSION__) < 12 ? twice(text) : upper(text)"
)
CHECKED = "\nchar *__strcpy_chk(char *, const char *, unsigned long);\n"
LOOKS_AROUND = """
int getppid(void);
int parent(void);
int parent(void)
{
    return getppid();
}
"""
Files = dict[str, str]
PAGE = "int getpagesize(void);\nint page(void);\nint page(void)\n{\n    return getpagesize();\n}\n"
# Knows the answers to gold's tests, and answers nothing else.
BY_TABLE = GOLD_C.replace(
    TWICE,
    """
static char *twice(const char *text)
{
    const char *answer = strcmp(text, "abc") == 0 ? "abcabc" : "";
    if (strcmp(text, "server") == 0)
        answer = "serverserver";
    size_t size = strlen(answer) + 1;
    char *out = malloc(size);
    return out ? memcpy(out, answer, size) : NULL;
}
""",
)
# Answers with what the test expects, wherever that can be read.
READS_TESTS = "#include <stdio.h>\n" + GOLD_C.replace(
    TWICE,
    """
static char *twice(const char *text)
{
    char line[128], head[64];
    char *answer = NULL;
    size_t length = strlen(text);
    FILE *tests = fopen("tests/run.sh", "r");
    char *out = malloc(2 * length + 1 + sizeof line);
    if (!out)
        return NULL;
    memcpy(out, text, length);
    memcpy(out + length, text, length + 1);
    snprintf(head, sizeof head, "twice \\"%s\\" \\"", text);
    while (tests && fgets(line, sizeof line, tests))
        if (*text && (answer = strstr(line, head)))
            memcpy(out, answer + strlen(head), strcspn(answer + strlen(head), "\\""));
    if (tests)
        fclose(tests);
    return out;
}
""",
)
PATCHES: dict[Cause, tuple[Files, str]] = {
    Cause.NOT_BUILT: ({"src/text.c": GOLD_C + "this is no C\n"}, "does not compile"),
    Cause.TESTS_NOT_BUILT: (
        dict(zip(("src/text.h", "src/text.c", "src/tool.c"), OTHER_SIGNATURE, strict=True)),
        "the tests do not build against it",
    ),
    Cause.TESTS_TAMPERED: (
        {"src/text.c": FIXED_C, "hook": "echo >> tests/run.sh\n"},
        "a build of it changed the oracle's files: tests/run.sh",
    ),
    Cause.TESTS_FAILED: (
        {"src/text.c": TEXT_C + "\n/* later */\n"},
        "tests that gold passes are lost",
    ),
    Cause.TESTS_REDEFINED: (
        {
            "src/text.c": FIXED_C,
            "src/text.h": BASE["src/text.h"].replace("char *", "#define expected also\nchar *", 1),
        },
        "can bend their report, which gold's cannot: macro expected",
    ),
    Cause.TESTS_BY_TABLE: (
        {"src/text.c": BY_TABLE},
        "it answers the tests' own values, and no others: with other words in them 1 of 4",
    ),
    Cause.PASSES_WRONG_TESTS: (
        {"src/text.c": READS_TESTS},
        "its tests pass whatever they expect: twice more, which has to fail, passes",
    ),
    Cause.TARGET_NOT_BUILT: (
        {"src/text.c": SANITIZED % "#error no" + FIXED_C},
        "the fuzz target does not build with it",
    ),
    Cause.POC_TAMPERED: (
        {"src/text.c": FIXED_C, "hook": "[ $1 != build/fuzz ] || echo >> fuzz/fuzz.c\n"},
        "a build of it changed the oracle's files: fuzz/fuzz.c",
    ),
    Cause.CRASH: ({"src/text.c": GOLD_C}, "the PoC crashes: heap-buffer-overflow"),
    Cause.CRASH_CAN_HIDE: (
        {"src/text.c": FIXED_C + SANITIZED % LOOKS_AROUND},
        "the target can hide a crash, which gold's cannot: target asks for getppid",
    ),
    Cause.UNEXPECTED_STATUS: (
        {"src/text.c": in_twice("if (length == 8)\n        return NULL;")},
        "the target ends with 3; with the fix it ends with 0",
    ),
    Cause.SANITIZER_OFF: (
        {"src/text.c": FIXED_C + SANITIZED % LEAVES_AT_ONCE},
        "the sanitizer does not report an error that we make",
    ),
    Cause.SIMILAR_INPUT_CRASHES: (
        {"src/text.c": GOLD_C.replace("malloc(2 * length)", "malloc(2 * length + (length == 8))")},
        "2 of 4 neighbours of the PoC crash: heap-buffer-overflow",
    ),
    Cause.DIFFERS_FROM_TESTED: (
        {"src/text.c": NEW_CODE_ONLY_BY_GCC},
        "the target is not what was tested",
    ),
    Cause.OTHER_BUILD_CRASHES: (
        {"src/text.c": ONLY_BY_GCC},
        "built in another way, the target crashes",
    ),
    Cause.SANITIZER_AVOIDED: ({"src/text.c": UNSANITIZED}, "the sanitizer does not see all of it"),
    Cause.FINDING: (
        {"src/text.c": FIXED_C + GREET % "strcpy(line, name);"},
        "1 new finding(s)",
    ),
    Cause.UNBOUNDED_FUNCTION: (
        {"src/text.c": FIXED_C + CHECKED + GREET % "__strcpy_chk(line, name, sizeof line);"},
        "a function that bounds nothing is newly called: build/text.o imports __strcpy_chk",
    ),
    Cause.NEW_IMPORT: (
        {"src/text.c": FIXED_C + PAGE},
        "a function is newly called that is to be looked at: getpagesize",
    ),
    Cause.NOT_SCANNED: (
        {"src/text.c": FIXED_C + '#if 0\n{{{{ ((( "\n#endif\n' + GREET % "line[0] = *name;"},
        "could not be scanned",
    ),
    Cause.NOTHING_FOUND: ({"src/text.c": FIXED_C}, "all tests pass, no crash, no new finding"),
}
ESCAPING = b"--- /dev/null\n+++ b/../escape\n@@ -0,0 +1 @@\n+x\n"
ELSEWHERE = b"--- a/src/text.c\n+++ b/src/text.c\n@@ -1,2 +1,2 @@\n nothing\n-like\n+it\n"
RAW: dict[Cause, tuple[bytes, str]] = {
    Cause.EMPTY: (b"", "empty"),
    Cause.REFUSED: (ESCAPING, "refused"),
    Cause.NOT_APPLIED: (ELSEWHERE, "does not apply"),
}
REPAIRS: dict[Cause, tuple[str, str]] = {
    Cause.VALID_INPUT_REFUSED: (
        "if (length > 4)\n        return NULL;",
        "harmless inputs end otherwise than with the fix",
    ),
    Cause.WRONG_OUTPUT: (
        "if (length > 6)\n        length = 6;",
        "inputs that crashed come out otherwise than with the fix",
    ),
}


def test_each_cause_is_proven_in_a_sandbox() -> None:
    assert {*PATCHES, *RAW, *REPAIRS, *SPOILT_STEP_CAUSES.values()} == {*Cause}


@pytest.mark.parametrize("cause", PATCHES)
def test_a_patch_ends_in_its_cause(grader: Grader, whole: Mini, cause: Cause) -> None:
    files, reason = PATCHES[cause]
    verdict = grader.grade(only_task(whole), whole.patch(no_edit, files))
    assert (verdict.label, reason in verdict.reason) == (LABEL[cause], True), verdict.reason


@pytest.mark.parametrize("cause", RAW)
def test_what_is_no_patch_ends_in_its_cause(grader: Grader, whole: Mini, cause: Cause) -> None:
    patch, reason = RAW[cause]
    verdict = grader.grade(only_task(whole), patch)
    assert (verdict.label, reason in verdict.reason) == (LABEL[cause], True), verdict.reason


@pytest.mark.parametrize("cause", REPAIRS)
def test_a_repair_ends_in_its_cause(grader: Grader, kinds: Mini, cause: Cause) -> None:
    line, reason = REPAIRS[cause]
    patch = kinds.patch(no_edit, {"src/text.c": in_twice(line, MENDED_C)}, at=1)
    verdict = grader.grade(load_pack(kinds.folder).task("mini-twice-repair"), patch)
    assert (verdict.label, reason in verdict.reason) == (LABEL[cause], True), verdict.reason


def only_task(pack: Mini) -> Task:
    return load_pack(pack.folder).tasks[0]


def no_edit(work: Path) -> None:
    """Change nothing beyond the files of the patch."""
