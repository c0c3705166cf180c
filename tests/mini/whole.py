"""The tiny pack with all that a task can have: neighbours, tests built like the target, another build of it,
other values for its tests.
"""

from __future__ import annotations

from pathlib import Path

from tasks import neighbours, other_values
from tests.mini import BASE, END, FUZZ_C, MAKEFILE, MORE_SH, RUN_SH, TASK, VFC, VIC, Mini

# Ends with 3 where the library refuses its input.
FUZZ_WITH_STATUS = FUZZ_C.replace(
    "free(text_apply(data, text));",
    "char *out = text_apply(data, text);\n        if (!out)\n            return 3;\n        free(out);",
)
# With a script that a patch may bring, which learns what is built, and a second test program.
BUILDS = (
    MAKEFILE
    + """
X := $(shell test ! -e hook || sh hook $(MAKECMDGOALS))

build/text.o: src/text.c src/text.h
\t@mkdir -p build
\t$(CC) $(CFLAGS) -c -o $@ $<

build/unit: tests/unit.c build/text.o
\t$(CC) $(CFLAGS) -o $@ $^
"""
)
UNIT_C = """\
#include "../src/text.h"

int main(void)
{
    char *expected = 0;
    return text_apply("none", "") != expected;
}
"""
WHOLE_TASK = TASK.replace("[tests]\n", '[tests]\nbuild = "make build/unit"\n').replace(
    "[limits]\n",
    """\
[poc.tests]
build = "clang -g -fsanitize=address -o build/like src/*.c"
command = "cp build/like build/tool; sh tests/run.sh"
parser = "tap"
[[poc.variants]]
build = "gcc -g -fsanitize=address -fno-omit-frame-pointer -o build/other src/text.c fuzz/fuzz.c"
command = "./build/other {{poc}}"
[limits]
""",
)
AROUND = neighbours.Neighbours(
    crashing=(b"twice\nABCDEFGH", b"twice\nabcdefghabcdefgh"),
    harmless=(b"twice\nabc", b"upper\nabcdefgh"),
    telling=False,
)


# A further test of the feature; with the task's mismatch it has to fail.
TESTS = RUN_SH + MORE_SH + 'check "twice more" twice "server" "serverserver"\n' + END
VALUES = other_values.OtherValues(
    {
        "tests/run.sh": {
            "abc": "dfe",
            "abcabc": "dfedfe",
            "server": "wohmih",
            "serverserver": "wohmihwohmih",
        }
    },
    {"tests/run.sh": {TESTS.index("serverserver"): "wohmihwohmix"}},
    ("twice more",),
)


def with_all(folder: Path) -> Mini:
    """Make the pack."""
    own = {"fuzz/fuzz.c": FUZZ_WITH_STATUS, "Makefile": BUILDS, "tests/unit.c": UNIT_C}
    tests = {"tests/run.sh": TESTS}
    steps = [{**BASE, **own}, {**VIC, **own, **tests}, {**VFC, **own, **tests}]
    pack = Mini(folder, steps, WHOLE_TASK)
    path = pack.folder / "mini-twice" / neighbours.FILE
    path.write_bytes(neighbours.write(AROUND, b"twice\nabcdefgh"))
    (pack.folder / "mini-twice" / other_values.FILE).write_bytes(other_values.write(VALUES))
    return pack
