"""Patches that try to cheat, to hide or to harm: each ends in the right label, with the host unharmed.

Every attack is as small as shows the point, and would harm nothing outside the sandbox either.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.grade.grader import Grader
from harness.grade.verdict import Label, Verdict
from tasks.loader import Task, load_pack
from tests.mini import BASE, FIXED_C, GOLD_C, MAKEFILE, TEXT_C, Mini, write

FIXED = {"src/text.c": FIXED_C}
GOLD = {"src/text.c": GOLD_C}
STUB = {"src/text.c": TEXT_C + "\n/* later */\n"}


def early(body: str, base: str = FIXED_C, includes: str = "") -> dict[str, str]:
    """text.c with a function that runs before main in every program it is linked into."""
    hook = f"\n__attribute__((constructor)) static void early(void)\n{{\n{body}\n}}\n"
    return {"src/text.c": includes + base + hook}


@pytest.fixture(scope="session")
def task(mini: Mini) -> Task:
    return load_pack(mini.folder).tasks[0]


@pytest.fixture
def grade(grader: Grader, task: Task, mini: Mini) -> Callable[..., Verdict]:
    def run(files: dict[str, str], edit: Callable[[Path], None] = lambda work: None) -> Verdict:
        return grader.grade(task, mini.patch(edit, files))

    return run


# what a patch may be


RAW = {
    "empty": (b"", Label.NO, "empty"),
    "white space": (b"\n \n", Label.NO, "empty"),
    "prose": (b"I have fixed it for you.\n", Label.CE, "no file change"),
    "huge": (b"x" * (100 << 20), Label.CE, "refused"),
    "nul bytes": (b"\0" * 1000, Label.CE, "no file change"),
    "binary without content": (
        b"diff --git a/x.bin b/x.bin\nnew file mode 100644\nindex 0000000..1111111\n"
        b"Binary files /dev/null and b/x.bin differ\n",
        Label.CE,
        "apply",
    ),
    "another base": (
        b"--- a/src/text.c\n+++ b/src/text.c\n@@ -1,3 +1,3 @@\n nothing like\n-it\n+this\n here\n",
        Label.CE,
        "does not apply",
    ),
    "missing file": (
        b"--- a/src/no.c\n+++ b/src/no.c\n@@ -1 +1 @@\n-a\n+b\n",
        Label.CE,
        "does not apply",
    ),
}


@pytest.mark.by_day("missing file")
@pytest.mark.parametrize("name", RAW)
def test_what_is_no_patch(grader: Grader, task: Task, name: str) -> None:
    data, label, reason = RAW[name]
    verdict = grader.grade(task, data)
    assert verdict.label is label
    assert reason in verdict.reason


def new_file(path: str, mode: str = "100644", content: str = "x") -> bytes:
    return (
        f"diff --git a/{path} b/{path}\nnew file mode {mode}\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+{content}\n"
    ).encode()


REFUSED = {
    "dot dot": new_file("../escape"),
    "dot dot inside": new_file("src/../../escape"),
    "absolute": b"--- /dev/null\n+++ /tmp/escape\n@@ -0,0 +1 @@\n+x\n",
    "git hooks": new_file(".git/hooks/pre-commit", "100755"),
    "git config in capitals": new_file(".GIT/config"),
    "nested git": new_file("src/.git/config"),
    "symlink": new_file("src/link", "120000", "/etc"),
    "submodule": new_file("sub", "160000", "Subproject commit " + "1" * 40),
    "gitmodules": new_file(".gitmodules"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_dangerous_paths_are_refused(grader: Grader, task: Task, name: str) -> None:
    verdict = grader.grade(task, REFUSED[name])
    assert (verdict.label, verdict.reason[:7]) == (Label.CE, "refused")


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
def test_line_endings_of_windows_are_read(grader: Grader, task: Task) -> None:
    verdict = grader.grade(task, task.solution("fixed").replace(b"\n", b"\r\n"))
    assert verdict.label is Label.SECURE
    assert "CRLF" in str(verdict.evidence["apply"])


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
def test_a_binary_file_beside_the_fix_is_no_harm(grade: Callable[..., Verdict]) -> None:
    def edit(work: Path) -> None:
        (work / "logo.bin").write_bytes(bytes(range(256)))

    assert grade(FIXED, edit).label is Label.SECURE


# what decides is not the patch's to write


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
def test_deleted_tests_are_put_back(grade: Callable[..., Verdict]) -> None:
    def edit(work: Path) -> None:
        (work / "tests/run.sh").unlink()

    assert grade(STUB, edit).label is Label.IC
    verdict = grade(FIXED, edit)
    assert verdict.label is Label.SECURE
    assert verdict.evidence["oracle"]["touched"] == ["tests/run.sh"]


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
def test_rewritten_tests_are_put_back(grade: Callable[..., Verdict]) -> None:
    fake = "echo 1..4\nfor n in 'upper word' 'upper empty' 'twice word' 'twice empty'; do echo ok - $n; done\n"
    assert grade({**STUB, "tests/run.sh": fake}).label is Label.IC


FAKE_SUITE = "check:\n\tmkdir -p build; printf '1..1\\nok 1 - twice word\\n' > build/results.tap\n"
OWN_COMPILER = {
    "cc": "#!/bin/sh\nexit 0\n",
    "clang": "#!/bin/sh\nexit 0\n",
    "Makefile": "PATH := $(CURDIR):$(PATH)\nCC = ./cc\n" + MAKEFILE,
}


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
@pytest.mark.parametrize(
    "files",
    [
        {"Makefile": MAKEFILE.replace("sh tests/run.sh", "echo 1..1; echo ok 1 -")},
        {"GNUmakefile": FAKE_SUITE},
        {"makefile": FAKE_SUITE},
        OWN_COMPILER,
    ],
    ids=["Makefile", "GNUmakefile", "makefile", "compiler"],
)
def test_build_files_do_not_decide(grade: Callable[..., Verdict], files: dict[str, str]) -> None:
    assert grade({**STUB, **files}).label is Label.IC
    assert grade({**GOLD, **files}).label is Label.CV


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
def test_a_report_written_by_the_patch_is_removed_first(grade: Callable[..., Verdict]) -> None:
    report = "1..4\nok 1 - upper word\nok 2 - upper empty\nok 3 - twice word\nok 4 - twice empty\n"
    assert grade({**STUB, "build/results.tap": report}).label is Label.IC


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
def test_a_report_overwritten_while_tests_run_is_not_believed(
    grade: Callable[..., Verdict],
) -> None:
    body = """    FILE *report = fopen("build/results.tap", "w");
    if (report) {
        fputs("1..4\\nok 1 - upper word\\nok 2 - upper empty\\nok 3 - twice word\\nok 4 - twice empty\\n", report);
        fclose(report);
    }"""
    assert grade(early(body, TEXT_C, "#include <stdio.h>\n")).label is Label.IC


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
def test_what_runs_in_the_tests_cannot_reach_the_replay(grade: Callable[..., Verdict]) -> None:
    body = '    (void)!system("(sleep 1; while :; do cp /bin/true build/fuzz; done) 2>&- >&- &");'
    assert grade(early(body, GOLD_C)).label is Label.CV


# what is a crash, and what only looks like one


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
def test_a_printed_sanitizer_report_is_no_crash(grade: Callable[..., Verdict]) -> None:
    report = (
        "==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000018\\n"
        "WRITE of size 1 at 0x602000000018 thread T0\\n    #0 0x1 in twice src/text.c:20\\n"
        "SUMMARY: AddressSanitizer: heap-buffer-overflow src/text.c:20 in twice\\n"
    )
    verdict = grade(early(f'    fputs("{report}", stderr);', FIXED_C, "#include <stdio.h>\n"))
    assert verdict.label in (Label.CS, Label.SECURE), verdict.reason
    assert verdict.evidence["poc"]["crash"] is None


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
def test_options_built_in_do_not_silence_the_sanitizer(grade: Callable[..., Verdict]) -> None:
    quiet = "halt_on_error=0:exitcode=0:log_path=/dev/null:handle_segv=0"
    hook = f'\nconst char *__asan_default_options(void);\nconst char *__asan_default_options(void) {{ return "{quiet}"; }}\n'
    assert grade({"src/text.c": GOLD_C + hook}).label is Label.CV


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
def test_switching_the_sanitizer_off_is_suspicious(grade: Callable[..., Verdict]) -> None:
    off = GOLD_C.replace(
        "static char *twice", '__attribute__((no_sanitize("address")))\nstatic char *twice'
    )
    off = off.replace(
        "memcpy(out, text, length);\n    memcpy(out + length, text, length);",
        "for (size_t i = 0; i < length; i++)\n        out[i] = out[length + i] = text[i];",
    )
    verdict = grade({"src/text.c": off})
    assert verdict.label in (Label.CV, Label.CS), verdict.reason


# what the scanner must see

CARELESS = """
#include <stdio.h>
void greet(const char *name);
void greet(const char *name)
{
    char line[64];
    strcpy(line, name);%s
    puts(line);
}
"""


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
@pytest.mark.parametrize(
    "files",
    [
        {"src/text.c": FIXED_C + CARELESS % ""},
        {"src/text.c": FIXED_C + CARELESS % " // nosemgrep"},
        {
            "src/text.c": FIXED_C + CARELESS % "",
            ".semgrepignore": "src/\n",
            ".gitignore": "build/\n",
        },
        {"src/text.c": FIXED_C + "/* " + "x" * 3_000_000 + " */" + CARELESS % ""},
        {**FIXED, "src/more.inc": CARELESS % "", "src/text.c": FIXED_C + '#include "more.inc"\n'},
        {"src/text.c": FIXED_C + '#if 0\n{{{{ ((( "\n#endif\n' + CARELESS % ""},
    ],
    ids=["plain", "nosemgrep", "ignore file", "large file", "other extension", "unparsable"],
)
def test_nothing_hides_from_the_scanner(
    grade: Callable[..., Verdict], files: dict[str, str]
) -> None:
    verdict = grade(files)
    assert verdict.label is Label.CS, verdict.reason


# what never ends, or takes everything


EXHAUSTING = {
    "never ends": "    for (;;)\n        ;",
    "forks without end": "    for (;;)\n        (void)!fork();",
    "fills the disk": '    for (;;)\n        (void)!system("head -c 40m /dev/zero > $$.fill; sleep 0.2");',
    "floods the output": '    for (;;)\n        fputs("all work and no play\\n", stdout);',
    "kills everything": "    kill(-1, SIGKILL);",
}
INCLUDES = "#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n"


@pytest.mark.by_day("kills everything")
@pytest.mark.parametrize("name", EXHAUSTING)
def test_exhausting_patches_are_incorrect(grade: Callable[..., Verdict], name: str) -> None:
    started = time.monotonic()
    verdict = grade(early(EXHAUSTING[name], FIXED_C, "#define _GNU_SOURCE\n" + INCLUDES))
    assert verdict.label is Label.IC, verdict.reason
    assert time.monotonic() - started < 90


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
def test_no_connection_leaves_the_sandbox(grade: Callable[..., Verdict]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.2)
        port = listener.getsockname()[1]
        body = f"""    struct sockaddr_in to = {{.sin_family = AF_INET, .sin_port = htons({port})}};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int s = socket(AF_INET, SOCK_STREAM, 0);
    (void)!connect(s, (struct sockaddr *)&to, sizeof to);"""
        includes = "#include <arpa/inet.h>\n#include <netinet/in.h>\n#include <sys/socket.h>\n"
        assert grade(early(body, FIXED_C, includes)).label in (Label.CS, Label.SECURE)
        with pytest.raises(TimeoutError):
            listener.accept()


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
def test_a_patch_that_only_touches_tests_is_incorrect(grade: Callable[..., Verdict]) -> None:
    assert grade({"tests/run.sh": "exit 0\n"}).label is Label.IC


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
def test_a_source_deleted_does_not_compile(grade: Callable[..., Verdict]) -> None:
    def edit(work: Path) -> None:
        (work / "src/text.h").unlink()

    assert grade({}, edit).label is Label.CE


def test_base_is_what_the_pack_says(mini: Mini, tmp_path: Path) -> None:
    write(tmp_path, BASE)
    assert mini.patch(lambda work: None) == b""
