"""The project's programs that the PoC crashes, found by building the tiny task's product with a sanitizer."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.building.oracle.programs import NoPrograms, build_lines, search_programs
from harness.grade.ports import MemoryCache
from harness.sandbox.base import Backend
from tasks.loader import Task, load_pack
from tests.mini import BASE, FUZZ_C, TASK, VFC, VIC, Mini

READS_A_FILE = FUZZ_C.replace("../src/text.h", "text.h").replace(
    "int main(int argc, char **argv)\n{",
    "char *text_apply(const char *mode, const char *text);\n"
    "int main(int argc, char **argv)\n{\n"
    "    if (argc == 3) { char *out = text_apply(argv[1], argv[2]); if (!out) return 2; puts(out); return 0; }",
)
READS_STANDARD_INPUT = READS_A_FILE.replace('argc == 2 ? fopen(argv[1], "rb") : NULL', "stdin")


def task_with(folder: Path, tool: str, toml: str = TASK) -> Task:
    """The tiny task with another program of the project."""
    steps = [{**files, "src/tool.c": tool} for files in (BASE, VIC, VFC)]
    (task,) = load_pack(Mini(folder, steps, toml).folder).tasks
    return task


@pytest.mark.slow
@pytest.mark.local
@pytest.mark.parametrize(
    ("tool", "command"),
    [
        pytest.param(READS_A_FILE, "./build/tool {poc}", id="a file"),
        pytest.param(READS_STANDARD_INPUT, "./build/tool <{poc}", id="standard input"),
    ],
)
def test_a_program_that_the_poc_crashes_is_attacked(
    tool: str, command: str, local: Backend, tmp_path: Path
) -> None:
    variant = search_programs(local, task_with(tmp_path, tool), MemoryCache())
    assert (variant.name, variant.command, variant.entries) == ("as shipped", command, ())
    assert "-fsanitize=address,bounds,object-size" in variant.build


@pytest.mark.slow
@pytest.mark.local
def test_a_program_that_takes_no_file_is_none(local: Backend, tmp_path: Path) -> None:
    task = task_with(tmp_path, BASE["src/tool.c"])
    with pytest.raises(NoPrograms, match=r"of 1 programs \(./build/tool\) none crashes") as none:
        search_programs(local, task, MemoryCache())
    assert "-fsanitize=address:" not in str(none.value)  # which would not help


def test_a_suite_that_builds_the_product_is_tried_first(tmp_path: Path) -> None:
    toml = TASK.replace('command = "make check"', 'command = "make check"\nbuild = "make tests"')
    short, whole = build_lines(task_with(tmp_path, BASE["src/tool.c"], toml), "address")
    assert short.endswith("\nmake tests")
    assert "( make build/tool\n) && { make tests\n}" in whole
    assert "-fsanitize=address -fno-sanitize-recover=all" in short
