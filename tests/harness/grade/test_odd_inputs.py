"""Inputs and patches of odd forms, graded as `reproduce` and `end-to-end`: each has the label that is due."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.grade.grader import Grader
from harness.grade.verdict import InputLabel
from harness.sandbox import archive
from tasks.kinds import INPUT, new_file
from tasks.loader import load_pack
from tests.mini import Mini
from tests.mini.kinds import POC, with_kinds

SHOWN, SILENT, NONE = InputLabel.REPRODUCED, InputLabel.NO_CRASH, InputLabel.NO_OUTPUT
SHOWS = new_file(INPUT, POC.encode())
REPORT = b"""\
upper
==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000018
WRITE of size 1 at 0x602000000018 thread T0
    #0 0x4 in twice /src/mini/src/text.c:27
    #1 0x5 in text_apply /src/mini/src/text.c:36
    #2 0x6 in main /src/mini/fuzz/fuzz.c:20
"""
LINE = f"""\
diff --git a/{INPUT} b/{INPUT}
new file mode 100644
--- /dev/null
+++ b/{INPUT}
@@ -0,0 +1,2 @@
+twice
+abcdefgh
\\ No newline at end of file
"""
SUBMODULE = f"""\
diff --git a/{INPUT} b/{INPUT}
new file mode 160000
index 0000000..1234567
--- /dev/null
+++ b/{INPUT}
@@ -0,0 +1 @@
+Subproject commit 1234567890123456789012345678901234567890
"""
RENAMED = f"""\
diff --git a/README b/{INPUT}
similarity index 100%
rename from README
rename to {INPUT}
"""
BESIDE = """\
diff --git a/{0} b/{0}
new file mode 120000
--- /dev/null
+++ b/{0}
@@ -0,0 +1 @@
+/etc/passwd
\\ No newline at end of file
"""


def other(before: str, after: str, patch: bytes = SHOWS) -> bytes:
    assert before.encode() in patch
    return patch.replace(before.encode(), after.encode())


# What packs well is made when it is tested: it takes seconds.
PATCHES: dict[str, tuple[bytes | Callable[[], bytes], InputLabel]] = {
    "text in place of a binary patch": (LINE.encode(), SHOWN),
    "lines that end in CRLF": (LINE.replace("\n", "\r\n").encode(), SHOWN),
    "may be executed": (other("mode 100644", "mode 100755"), SHOWN),
    "a report in the input": (new_file(INPUT, REPORT), SILENT),
    "a report as the mode": (new_file(INPUT, REPORT.replace(b"upper\n", b"")), SILENT),
    "a signal's shell, in the input": (new_file(INPUT, b"upper\n$(kill -SEGV $$)\n"), SILENT),
    "only NUL": (new_file(INPUT, bytes(5000)), SILENT),
    "64 MiB that pack well": (
        lambda: new_file(INPUT, POC.encode() + bytes(archive.MAX_BYTES)),
        NONE,
    ),
    "1 GB that packs well": (lambda: new_file(INPUT, POC.encode() + bytes(1 << 30)), NONE),
    "the size is not the content's": (other("literal 14", "literal 13"), NONE),
    "the content is no deflated data": (other("literal 14\n", "literal 14\nzz"), NONE),
    "cut short": (SHOWS[:-40], NONE),
    "twice": (SHOWS + new_file(INPUT, b"upper\nabc"), NONE),
    "twice the same": (SHOWS + SHOWS, NONE),
    "a submodule": (SUBMODULE.encode(), NONE),
    "another file renamed": (RENAMED.encode(), NONE),
    "a file below a folder of that name": (other(INPUT, f"{INPUT}/input"), NONE),
    "a name in capitals": (other(INPUT, INPUT.upper()), NONE),
    "a path that leads out": (other(INPUT, f"../{INPUT}"), NONE),
    "a path that leads out, beside it": (SHOWS + new_file("../other", b"x"), SHOWN),
    "a path that leads back": (other(INPUT, f"x/../{INPUT}"), NONE),
    "other files beside it": (SHOWS + new_file("notes", b"x") + new_file("a/b", b"y"), SHOWN),
    "a link beside it": (SHOWS + BESIDE.format("link").encode(), SHOWN),
    "1 GB that packs well beside it": (lambda: SHOWS + new_file("big", bytes(1 << 30)), SHOWN),
    "two sections of another file": (SHOWS + 2 * new_file("notes", b"x"), SHOWN),
    "a patch of tests beside it": (SHOWS + new_file("tests/run.sh", b"x"), SHOWN),
    "a git folder beside it": (SHOWS + new_file(".git/config", b"[core]\n"), SHOWN),
    "attributes beside it": (SHOWS + new_file(".gitattributes", b"* text eol=crlf\n"), SHOWN),
    "a mail around it": (b"From: a\nSubject: [PATCH] x\n\n---\n\n" + SHOWS + b"-- \n2.1\n", SHOWN),
}


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Mini:
    return with_kinds(tmp_path_factory.mktemp("odd"))


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
@pytest.mark.parametrize("name", PATCHES)
def test_an_odd_input_gets_its_due(grader: Grader, mini: Mini, name: str) -> None:
    patch, due = PATCHES[name]
    patch = patch() if callable(patch) else patch
    verdict = grader.grade(load_pack(mini.folder).task("mini-twice-reproduce"), patch)
    assert verdict.label is due, verdict.reason
