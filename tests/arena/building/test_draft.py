"""What a drafted task protects."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.building.cases.loader import load_case
from arena.building.draft import suites
from tests.arena.building.test_merging import CASE
from tests.szz.conftest import Maker, history  # noqa: F401 - a fixture


def test_the_fuzz_target_belongs_to_the_oracle_wherever_it_lies(
    history: Maker,  # noqa: F811
    tmp_path: Path,
) -> None:
    path, ids = history(
        {
            b"Makefile": b"check: prog\n\t./tests/run.sh\n",
            b"tests/run.sh": b"true\n",
            b"target.c": b"",
        },
    )
    text = CASE.format(id="a", repository=path, fix=ids[0], command="./t {poc}")
    (tmp_path / "case.toml").write_text(text + 'carry = ["target.c"]\n')
    (tmp_path / "poc").write_bytes(b"x")
    found = suites(load_case(tmp_path), ids[0])
    assert found and all("target.c" in tests.files and "tests/**" in tests.files for tests in found)


@pytest.mark.parametrize(
    ("kept", "first"),
    [
        ({"build.sh": "cmake .. && make\n"}, "ctest"),
        ({"build.sh": "meson setup x\n"}, "meson"),
        (
            {"Dockerfile": "RUN apt-get install -y \\\n  make\nRUN cp a/fuzz/build.sh $SRC\n"},
            "meson",
        ),
        ({}, "ctest"),
    ],
)
def test_a_project_with_two_build_systems_is_tested_with_that_of_its_recipe(
    history: Maker,  # noqa: F811
    tmp_path: Path,
    kept: dict[str, str],
    first: str,
) -> None:
    path, ids = history(
        {
            b"CMakeLists.txt": b"enable_testing()\nadd_test(NAME a COMMAND a)\n",
            b"meson.build": b"test('a', a)\n",
            b"fuzz/build.sh": b"meson setup x\n",
        },
    )
    text = CASE.format(id="a", repository=path, fix=ids[0], command="./t {poc}")
    text = re.sub(r"(?m)^image = .*$", f'recipe = "a/{"0" * 12}"', text)
    recipe = tmp_path / "recipes" / "a" / ("0" * 12)
    case = tmp_path / "a"
    for folder, files in ((recipe, kept), (case, {"case.toml": text, "poc": "x"})):
        folder.mkdir(parents=True)
        for name, content in files.items():
            (folder / name).write_text(content)
    assert first in suites(load_case(case), ids[0])[0].command
