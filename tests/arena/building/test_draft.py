"""What a drafted task protects."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from arena.building.cases.loader import load_case
from arena.building.draft import AS_SHIPPED, suites
from arena.building.suites.automake_anew import ANEW
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
    assert not any(AS_SHIPPED in tests.build for tests in found)


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
    found = suites(load_case(case), ids[0])
    assert first in found[0].command
    assert all(tests.build.startswith(AS_SHIPPED) for tests in found if tests.build)


@pytest.mark.slow
@pytest.mark.parametrize("before", ["", AS_SHIPPED, ANEW.partition("{{")[0]])
@pytest.mark.parametrize("raised", ["-Werror", ""])
def test_what_a_later_compiler_warns_of_ends_no_build_of_tests(
    tmp_path: Path, before: str, raised: str
) -> None:
    """harfbuzz's subsetter is not compiled by clang 14, and its tests then fail of which none was broken."""
    pragma = "" if raised else '#pragma GCC diagnostic error "-Wunused-variable"\n'
    (tmp_path / "a.c").write_text(f"{pragma}int main(void) {{ int unused = 0; return 0; }}\n")
    shell = (
        f"{before}cc $CFLAGS -Wall {raised} -c a.c && c++ $CXXFLAGS -x c++ -Wall {raised} -c a.c"
    )
    done = subprocess.run(["sh", "-c", shell], cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode == 0) is bool(before), done.stderr


@pytest.mark.parametrize("before", ["", AS_SHIPPED])
def test_tests_are_built_as_what_is_shipped_and_not_as_what_is_fuzzed(
    tmp_path: Path, before: str
) -> None:
    """With OSS-Fuzz's definition libxml2's `runtest` fails, of 3,628 tests."""
    text = "#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION\n#error fuzzed\n#endif\nint i;\n"
    (tmp_path / "a.c").write_text(text)
    dockerfile = Path("images/oss-fuzz/Dockerfile").read_text()
    flags = " ".join(re.findall(r"-D\S+", re.findall(r' CFLAGS="(.*?)"', dockerfile)[0]))
    shell = (
        f"export CFLAGS='{flags}'; {before}cc $CFLAGS -c a.c && c++ $CFLAGS $CXXFLAGS -x c++ -c a.c"
    )
    done = subprocess.run(["sh", "-c", shell], cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode == 0) is bool(before), done.stderr
