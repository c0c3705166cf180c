"""What a patch may make its builds do, without a line in a build file of the task's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.grade.grader import Grader
from harness.grade.verdict import Label, Verdict
from parsers.patch import commands
from tasks.loader import Task, load_pack
from tests.mini import FIXED_C, TEXT_C, Mini

FORGED = """\
printf '%s\\n' '#!/bin/sh' 'case $1 in upper) printf "%s\\n" "$2" | tr a-z A-Z ;; *) echo "$2$2" ;; esac' > build/tool
chmod +x build/tool
"""
STUB = {"src/text.c": TEXT_C + "\n/* later */\n"}


@pytest.fixture
def grade(grader: Grader, mini: Mini) -> Callable[[dict[str, str]], Verdict]:
    task: Task = load_pack(mini.folder).tasks[0]

    def run(files: dict[str, str]) -> Verdict:
        def edit(work: Path) -> None:
            for name, content in files.items():
                (work / name).parent.mkdir(parents=True, exist_ok=True)
                (work / name).write_text(content)

        return grader.grade(task, mini.patch(edit))

    return run


def test_a_file_s_name_is_no_command(grade: Callable[[dict[str, str]], Verdict]) -> None:
    """A Makefile with a wildcard hands names to a shell as they are."""
    name = "src/zz;sh<ev||.c"
    verdict = grade({**STUB, name: "", "src/zz": "", "ev": FORGED})
    assert verdict.label is Label.IC, verdict.reason
    assert verdict.evidence["apply"]["left_out"] == [name]


def test_a_name_left_out_costs_honest_work_nothing(
    grade: Callable[[dict[str, str]], Verdict],
) -> None:
    verdict = grade({"src/text.c": FIXED_C, "notes/R&D (1).txt": "x", "notes/a b+c,d:e.txt": "x"})
    assert verdict.label is Label.CANDS, verdict.reason
    assert verdict.evidence["apply"]["left_out"] == ["notes/R&D (1).txt"]


@pytest.mark.parametrize(
    ("path", "due"),
    [
        *((name, True) for name in ("a;b", "a|b", "a&b", "a>b", "$(a)", "`a`", 'a"b', "a'b")),
        *((name, True) for name in ("CC=./x.h", "-specs", "src/@x.c", "src/a -Bx.c", "a\\b")),
        *((name, False) for name in ("a-b.c", "a b.c", "a@b", "id:0,sig:06", "a++.h", "ä.c", "x~")),
    ],
)
def test_what_a_shell_or_make_would_read_in_a_name(path: str, due: bool) -> None:
    assert commands(path) is due
