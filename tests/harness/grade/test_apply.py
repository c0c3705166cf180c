"""What a patch may not bring: files in folders that only a build makes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from harness.grade.apply import build_folders

PATHS = {"Makefile", "src/parse.c", "include/brook/parse.h", "m4/odd"}


def task_with(build: str, variant: str = "", command: str = "") -> Any:
    lines = SimpleNamespace(build=build, command="")
    poc = SimpleNamespace(
        build="", command=command, variants=[SimpleNamespace(build=variant, command="")]
    )
    return SimpleNamespace(spec=SimpleNamespace(environment=lines, tests=lines, poc=poc))


@pytest.mark.parametrize(
    ("task", "folders"),
    [
        (task_with("make -j2 B=build/shipped all"), {"build"}),
        (
            task_with("make", "mkdir -p out && cd out && ../configure && cp fuzz ./out/fuzz"),
            {"out"},
        ),
        (task_with("cc -Iinclude/brook src/parse.c -o src/parse.o"), set()),
        (task_with("make", command="./shipped/bin/tool {poc}"), {"shipped", "shipped/bin"}),
        (task_with("/usr/bin/make eval && meson compile"), set()),
        (task_with("cc -include m4/odd/config.h"), set()),  # a file has the folder's name
    ],
)
def test_a_folder_that_a_build_makes_is_none_of_the_repository(
    task: Any, folders: set[str]
) -> None:
    assert build_folders(task, PATHS) == folders
