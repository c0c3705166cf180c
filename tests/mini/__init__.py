"""A pack with one tiny task, made on the spot, for tests of the grader.

The library turns a text by a mode. VIC adds the mode `twice`, which forgets room for the final NUL; VFC
gives it. Its suite is a shell script that writes TAP.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from szz.shield import QUIET

TEXT_C = """\
#include "text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static char *upper(const char *text)
{
    size_t length = strlen(text);
    char *out = malloc(length + 1);
    if (!out)
        return NULL;
    for (size_t i = 0; i <= length; i++)
        out[i] = (char)toupper((unsigned char)text[i]);
    return out;
}
/* more modes */

char *text_apply(const char *mode, const char *text)
{
    if (strcmp(mode, "upper") == 0)
        return upper(text);
    /* more choices */
    return NULL;
}
"""
TWICE = """\

static char *twice(const char *text)
{
    size_t length = strlen(text);
    char *out = malloc(2 * length);
    if (!out)
        return NULL;
    memcpy(out, text, length);
    memcpy(out + length, text, length);
    out[2 * length] = '\\0';
    return out;
}
"""
CHOICE = """\
    if (strcmp(mode, "twice") == 0)
        return twice(text);
"""
GOLD_C = TEXT_C.replace("/* more modes */\n", TWICE).replace("    /* more choices */\n", CHOICE)
FIXED_C = GOLD_C.replace("malloc(2 * length)", "malloc(2 * length + 1)")

TEXT_H = """\
#ifndef TEXT_H
#define TEXT_H
char *text_apply(const char *mode, const char *text);
#endif
"""
TOOL_C = """\
#include "text.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char *out = argc == 3 ? text_apply(argv[1], argv[2]) : NULL;
    if (!out)
        return 2;
    puts(out);
    free(out);
    return 0;
}
"""
FUZZ_C = """\
#include "../src/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    char data[4096];
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file)
        return 1;
    size_t size = fread(data, 1, sizeof data - 1, file);
    fclose(file);
    data[size] = '\\0';
    char *text = strchr(data, '\\n');
    if (text) {
        *text++ = '\\0';
        free(text_apply(data, text));
    }
    return 0;
}
"""
MAKEFILE = """\
CFLAGS = -g -O1 -Wall
SOURCES = $(wildcard src/*.c)

build/tool: $(SOURCES) src/text.h Makefile
\t@mkdir -p build
\t$(CC) $(CFLAGS) -o $@ $(SOURCES)

build/fuzz: $(filter-out src/tool.c,$(SOURCES)) fuzz/fuzz.c Makefile
\t@mkdir -p build
\tclang $(CFLAGS) -fsanitize=address -fno-omit-frame-pointer -o $@ $(filter %.c,$^)

check: build/tool
\tsh tests/run.sh > build/results.tap
"""
RUN_SH = """\
number=0
bad=0
check() {
    number=$((number + 1))
    if [ "$(./build/tool "$2" "$3" 2>/dev/null)" = "$4" ]; then
        echo "ok $number - $1"
    else
        echo "not ok $number - $1"
        bad=1
    fi
}
check "upper word" upper abc ABC
check "upper empty" upper "" ""
"""
MORE_SH = """\
check "twice word" twice "abc" "abcabc"
check "twice empty" twice "" ""
"""
TASK = """\
schema = 1
id = "mini-twice"
title = "The mode twice"
[source]
repository = "mini"
pvic = "{pvic}"
vic = "{vic}"
vfc = "{vfc}"
[weakness]
language = "c"
cwe = ["CWE-122"]
[environment]
image = "arena/cpp"
workdir = "/src/mini"
build = "make build/tool"
timeout = 60
[tests]
command = "make check"
parser = "tap"
report = ["build/results.tap"]
timeout = 8
files = ["tests/**", "fuzz/**", "Makefile"]
[poc]
build = "make build/fuzz"
command = "./build/fuzz {{poc}}"
file = "oracle/poc"
timeout = 6
[poc.signature]
kind = "heap-buffer-overflow"
access = "write"
frames = ["twice", "text_apply"]
[limits]
memory = "512m"
disk = "200m"
pids = 64
"""
PACK = 'schema = 1\nname = "mini"\nversion = "1"\nlicence = "Apache-2.0"\ntrack = "repo"\n'
END = 'echo "1..$number"\nexit $bad\n'
SHARED = {"src/text.h": TEXT_H, "src/tool.c": TOOL_C, "fuzz/fuzz.c": FUZZ_C, "Makefile": MAKEFILE}
BASE = {**SHARED, "src/text.c": TEXT_C, "tests/run.sh": RUN_SH + END, ".gitignore": "build/\n"}
VIC = {**BASE, "src/text.c": GOLD_C, "tests/run.sh": RUN_SH + MORE_SH + END}
VFC = {**VIC, "src/text.c": FIXED_C}

Edit = Callable[[Path], None]


def write(repository: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        path = repository / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


def git(repository: Path, *args: str) -> str:
    who = {"NAME": "Mini", "EMAIL": "mini@example.org", "DATE": "2020-01-02T03:04:05+0000"}
    env = {
        f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in who.items()
    }
    argv = ["git", "-c", "commit.gpgsign=false", *args]
    return subprocess.run(
        argv, cwd=repository, env={**QUIET, **env}, check=True, capture_output=True
    ).stdout.decode("utf-8", "surrogateescape")


class Mini:
    """The pack's folder, and patches against its PVIC.

    steps: files at PVIC, VIC and VFC; task: what `task.toml` says of them; poc: the input that crashes gold.
    """

    def __init__(
        self,
        folder: Path,
        steps: Sequence[dict[str, str]] = (BASE, VIC, VFC),
        task: str = TASK,
        poc: str = "twice\nabcdefgh",
    ) -> None:
        self._task, self._poc = task, poc
        self.folder = folder / "pack"
        self._repository = folder / "repository"
        self._repository.mkdir(parents=True)
        git(self._repository, "init", "-q", "-b", "main")
        self.ids = [self._commit(files, f"Step {number}") for number, files in enumerate(steps)]
        self._write_pack()

    def _commit(self, files: dict[str, str], subject: str) -> str:
        write(self._repository, files)
        git(self._repository, "add", "-A")
        git(self._repository, "commit", "-q", "-m", subject)
        return git(self._repository, "rev-parse", "HEAD").strip()

    def _write_pack(self) -> None:
        history = self.folder / "repositories/mini"
        history.mkdir(parents=True)
        git(
            self._repository,
            "format-patch",
            "-q",
            "--root",
            "--zero-commit",
            "-N",
            "-o",
            str(history),
            "HEAD",
        )
        task = self.folder / "mini-twice"
        pvic, vic, vfc = self.ids
        write(
            task,
            {
                "task.toml": self._task.format(pvic=pvic, vic=vic, vfc=vfc),
                "instruction.md": "Add the mode twice.\n",
                "oracle/poc": self._poc,
                "../pack.toml": PACK,
            },
        )
        for name, end in (("gold", vic), ("fixed", vfc)):
            write(
                task,
                {f"solution/{name}.patch": git(self._repository, "diff", "--binary", pvic, end)},
            )

    def patch(self, edit: Edit, start: dict[str, str] | None = None, at: int = 0) -> bytes:
        """The diff against PVIC (or another step) after `start`'s files and then `edit` were applied to a checkout."""
        work = self._repository.parent / "work"
        shutil.rmtree(work, ignore_errors=True)
        git(self._repository, "clone", "-q", "--no-local", str(self._repository), str(work))
        git(work, "checkout", "-q", self.ids[at])
        write(work, start or {})
        edit(work)
        git(work, "add", "-A", "-f", ".")
        return git(work, "diff", "--binary", "--cached", "-M").encode("utf-8", "surrogateescape")
