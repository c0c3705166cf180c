"""Suites found from build systems: each system's examples, build commands, and hostile projects."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.building.suites import (
    SourceTree,
    SuiteExample,
    System,
    find_suites,
    git_tree,
    needs_of_tests,
    read_build,
    systems,
)
from arena.building.suites._owned import oracle_globs
from arena.building.suites.meson import REPORT as MESON_REPORT
from parsers import reports
from tasks.history import materialise
from tasks.loader import PACKS, TaskError, load_pack

CASES = [
    pytest.param(system, example, id=f"{system.name}-{number}")
    for system in systems()
    for number, example in enumerate(system.examples)
]


@pytest.mark.parametrize(("system", "example"), CASES)
def test_every_system_finds_what_its_examples_say(system: System, example: SuiteExample) -> None:
    build = read_build(example.build, example.workdir, example.ctest)
    suite = system.find(SourceTree.from_files(example.files), build)
    if example.suite is None or suite is None:
        assert suite is None and example.suite is None, example.why
        return
    assert {key: getattr(suite, key) for key in example.suite} == example.suite, example.why


@pytest.mark.parametrize(("system", "example"), CASES)
def test_every_suite_fits_a_task(system: System, example: SuiteExample) -> None:
    found = find_suites(
        SourceTree.from_files(example.files), example.build, example.workdir, example.ctest
    )
    assert [suite.confidence for suite in found] == sorted(
        (suite.confidence for suite in found), reverse=True
    )
    assert (system.name in {suite.system for suite in found}) is (example.suite is not None)
    for suite in found:
        reports.expect(suite.tests().parser)
        done = subprocess.run(["sh", "-n", "-c", suite.command], capture_output=True, check=False)
        assert not done.stderr


@pytest.mark.parametrize(
    ("line", "program", "folder"),
    [
        ("cmake -B out .", "cmake", "out"),
        ("cmake -Bout", "cmake", "out"),
        ("mkdir b; cd b; cmake ..; make", "cmake", "b"),
        ("(cd b && cmake ..) && make -C c", "make", "c"),
        ("(cd b && cmake ..) && make", "make", ""),
        ("CC=clang CXX=clang++ cmake -S . -B 'x'", "cmake", "x"),
        ("B=out\ncmake -B $B\ncmake --build $B", "cmake", "out"),
        ("cmake -B $PWD/out", "cmake", "out"),
        ("cmake -B /src/p/deep/out", "cmake", "deep/out"),
        ("cmake -B /build/out", "cmake", "/build/out"),
        ("cmake -B $WORK/out", "cmake", None),
        ("cd $WORK && cmake /src/p", "cmake", None),
        ("cmake -E make_directory x", "cmake", None),
        ("meson setup build -Dx=y && ninja -C build", "meson", "build"),
        ("if test -f x; then ninja -C n; fi", "ninja", "n"),
        ("./configure --disable-shared && make -j2", "autotools", ""),
        ("cmake -B 'unfinished", "cmake", "unfinished"),
    ],
)
def test_the_build_folder_is_read_from_the_command(
    line: str, program: str, folder: str | None
) -> None:
    assert read_build(line, "/src/p").folder(program) == folder


@pytest.mark.parametrize(
    ("build", "workdir", "folder"),
    [
        ("cd lib && cmake -B out", "/src/p", "out"),
        ("cmake -S lib -B $PWD/lib/out", "/src/p", "out"),
        ("mkdir out; cd out; cmake ../lib", "/src/p", "/src/p/out"),
        ("cmake -S lib -B /obj/out", "/src/p", "/obj/out"),
        ("cd lib && cmake -B out", "", "out"),
        ("cmake -S lib -B out", "", "build"),  # which is where, cannot be told
    ],
)
def test_a_project_in_a_folder_is_built_where_the_shipped_command_builds_it(
    build: str, workdir: str, folder: str
) -> None:
    """The command begins at the root of the repository, the suite in the folder (expat's in ../build)."""
    tree = SourceTree.from_files({"lib/CMakeLists.txt": "enable_testing()\nadd_test(a a)\n"})
    (suite,) = find_suites(tree, build, workdir)
    assert suite.command.startswith(f"cd lib || exit 1; ctest --test-dir {folder} ")


def test_no_makefile_runs_tests_in_a_folder_that_is_not_the_oracles() -> None:
    """A patch would decide what it runs: `t` is a folder of tests where it holds `.t` files."""
    files = {"Makefile": "all:\n", "src/t/Makefile": "test:\n\t./a\n"}
    assert find_suites(SourceTree.from_files(files)) == []
    suites = find_suites(SourceTree.from_files({**files, "src/t/a.t": ""}))
    assert {suite.files for suite in suites} == {("src/t/**",)}
    assert "make-check" in {suite.system for suite in suites}


def test_the_system_of_the_shipped_build_comes_first() -> None:
    files = {
        "CMakeLists.txt": "enable_testing()\nadd_test(NAME a COMMAND a)\n",
        "meson.build": "test('a', a)\n",
    }
    for build, first in (("meson setup b && ninja -C b", "meson"), ("cmake -B b", "cmake-ctest")):
        assert find_suites(SourceTree.from_files(files), build)[0].system == first


@pytest.mark.parametrize(
    ("script", "first"),
    [
        ("# it's\nmeson --wrap-mode=nodownload \\\n  $WORK/build || (cat log && false)\n", "meson"),
        ("cmake .. && make -j2 # that's all\n", "cmake-ctest"),
        ("./autogen.sh\n$SRC/a/configure --x='\nmake -j$(nproc)\n", "automake-anew"),
        ("#!/bin/sh -e\n$SRC/a/tests/fuzz/build.sh\n", "meson"),
        ("RUN cp a/tests/fuzz/build.sh $SRC", "meson"),
        ("cd $SRC/dep\n./autogen.sh\nmake install\ncd ../a\nmeson setup b\n", "meson"),
        ("RUN cp other/build.sh $SRC", "automake"),
        ("cd $SRC/dep\n./configure\nmake install\ncd ../a\ncmake .\nmake\n", "cmake-ctest"),
        ("(cd $SRC/dep && cmake . && make)\nMESON=meson\n$MESON setup b\nninja -C b\n", "meson"),
        ("cmake .\nmake\ncd ../a\n./configure\nmake\n", "automake-anew"),
        ('CFLAGS="-g \\\n -O1" cmake ..\nmake\n', "cmake-ctest"),
    ],
)
def test_the_system_that_a_recipes_script_builds_with_comes_first(script: str, first: str) -> None:
    files = {
        "CMakeLists.txt": "enable_testing()\nadd_test(NAME a COMMAND a)\n",
        "meson.build": "test('a', a)\n",
        "configure.ac": "AM_INIT_AUTOMAKE\n",
        "Makefile.am": "TESTS = a\ncheck_PROGRAMS = a\n",
        "tests/fuzz/build.sh": "cd $SRC/a\nmeson setup x\n",
        "autogen.sh": "autoreconf -i\n./configure\n",
    }
    found = find_suites(SourceTree.from_files(files), "compile target", script=script)
    assert found[0].system == first


def test_what_a_recipe_configured_for_its_target_comes_behind_the_same_built_anew() -> None:
    """It is a static library with all names visible: tests that take in sources again do not link with it."""
    tree = SourceTree.from_files(
        {"configure.ac": "AM_INIT_AUTOMAKE\n", "Makefile.am": "TESTS = a\n"}
    )
    script = "./configure --disable-shared\nmake"
    found = find_suites(tree, "compile target", script=script)
    assert [suite.system for suite in found][:2] == ["automake-anew", "automake"]
    found = find_suites(tree, script)
    assert [suite.system for suite in found][:2] == ["automake", "automake-anew"]


def test_no_suite_is_an_empty_list() -> None:
    assert (
        find_suites(SourceTree.from_files({"src/a.c": "int main(void){return 0;}"}), "make") == []
    )


def test_scattered_test_folders_become_one_glob() -> None:
    tree = SourceTree.from_files({f"gems/{n}/test/a.rb": "" for n in range(9)})
    assert oracle_globs(tree) == ("**/test/**",)


def test_a_source_named_like_a_test_is_the_projects_own() -> None:
    files = {
        "src/file_test.c": "void f(void) {}",
        "src/b_test.cc": "\nTEST(A, b) {}",
        "test-c.c": "",
    }
    assert oracle_globs(SourceTree.from_files(files)) == ("src/b_test.cc", "test-*")


def test_what_the_build_makes_for_tests_alone_is_the_oracles() -> None:
    main = "int main(void) { return 0; }"
    made = ["readtest.c", "checker.c", "runtest.c", "tool.c", "lib/util.c"]
    build = "add_test(NAME r COMMAND runtest)\nadd_test(NAME v COMMAND tool --version)\n"
    files = {
        **dict.fromkeys(made, main),
        "Makefile.am": "bin_PROGRAMS = tool\ncheck_PROGRAMS = \\\n\treadtest \\\n\tchecker util\n",
        "CMakeLists.txt": build,
        "lib/util.c": "int f(void);",
    }
    assert oracle_globs(SourceTree.from_files(files)) == ("checker.c", "readtest.c", "runtest.c")
    meson = {"meson.build": "test('a', atest)\n", "atest.c": main, "btest.c": main}
    assert oracle_globs(SourceTree.from_files(meson)) == ("atest.c",)


def test_scripts_that_are_tests_and_folders_named_after_what_they_test_are_the_oracles() -> None:
    files = {
        "Makefile.am": "TESTS = built\nTESTS += Run\\\n $(MORE)\nMORE = sh/all.test gone\n",
        **dict.fromkeys(
            ["Run", "sh/all.test", "sh/tool", "lib/test_read/a.cc", "read-tests/b"], ""
        ),
        **dict.fromkeys(["testbed/c.icc", "ossfuzz/d.c", "contest/e.c", "latest_news/f.c"], ""),
    }
    due = ("lib/test_read/**", "ossfuzz/**", "read-tests/**", "testbed/**", "Run", "sh/all.test")
    assert oracle_globs(SourceTree.from_files(files)) == due


def test_what_tests_expect_is_the_oracles_where_it_is_no_code() -> None:
    files = [
        "result/a.xml",
        "lib/results/b/c.txt",
        "testdata/d",
        "src/result/ok/e.cc",
        "expected.c",
    ]
    tree = SourceTree.from_files(dict.fromkeys(files, ""))
    assert oracle_globs(tree) == ("lib/results/**", "result/**", "testdata/**")


def test_folders_of_tests_come_before_many_single_ones() -> None:
    programs = {f"a{n}.c": "int main(void) {}" for n in range(60)}
    build = f"check_PROGRAMS = {' '.join(name[:-2] for name in programs)}\n"
    found = oracle_globs(SourceTree.from_files({**programs, "Makefile.am": build, "test/x": ""}))
    assert found[0] == "test/**" and len(found) == 40


@pytest.mark.parametrize(
    "path",
    [
        "../Makefile",
        "/Makefile",
        "$(touch x)/Makefile",
        "a b/Makefile",
        "-rf/Makefile",
        "x\n/t/a.t",
    ],
)
def test_names_that_could_hurt_are_not_in_the_tree(path: str) -> None:
    tree = SourceTree.from_files({path: "check:\n\ttrue\n"})
    assert tree.paths == ()
    assert tree.read(path) == ""


def test_nothing_hostile_reaches_a_command() -> None:
    evil = "$(reboot)`reboot`;reboot"
    files = {
        "Makefile": f"B = {evil}\ncheck: all\n\t./t > $(B)/x.tap\ntest{evil}:\n\ttrue\n",
        "CMakeLists.txt": f'enable_testing()\nadd_test({evil})\noption(A_TESTS "{evil}" OFF)\n'
        f"add_custom_target(tests;{evil})\n",
        "meson.build": f"test('{evil}')",
        "meson_options.txt": f"option('{evil}', value: false)",
        "Makefile.am": f"TESTS = {evil}/a ../../b /etc/c\n",
        "configure.ac": evil,
        "t/a.t": f"#!/bin/sh;{evil}",
        "run-tests.sh": f"#!/bin/bash {evil}",
        "tests/jqtest": f"#!/bin/sh {evil}\n{evil} --run-tests {evil}\n",
        "tests/test_a.py": f"class A(unittest.TestCase): # {evil}\n",
    }
    found = find_suites(SourceTree.from_files(files), f"cmake -B '{evil}' && meson setup '{evil}'")
    assert len(found) == 10
    for suite in found:
        made = f"{suite.build} {suite.command} {suite.report} {suite.files}"
        assert not any(mark in made for mark in ("$(reboot", "`", ";reboot", "; reboot"))
        assert not any(glob.startswith(("/", "..")) for glob in suite.report)


_FILES = ["Makefile", "CMakeLists.txt", "meson.build", "meson_options.txt", "Makefile.am"]
_FILES += ["tests/test_a.py", "tests/run.sh", "tests/jqtest"]
_PIECES = [
    *("add_test(", "enable_testing()", "option(", "A_TESTS ", '"x" ', "OFF)", "\\\n", "\n", "\t"),
    *("check:", "test(", "TESTS = ", "$(A)", "A = $(A) $(A)", "x.tap", "#", "(", "'", '"', " "),
    *(
        "#!/bin/sh",
        "--run-tests ",
        "class A(",
        "TestCase",
        "test-a ",
        "test-b ",
        "passed, %d failed",
    ),
]


@given(
    st.dictionaries(st.sampled_from(_FILES), st.lists(st.sampled_from(_PIECES)).map("".join)),
    st.text(alphabet="cmake -B/;&|()'\"$\n \\", max_size=60),
)
def test_no_project_makes_it_raise(files: dict[str, str], build: str) -> None:
    for suite in find_suites(SourceTree.from_files({**files, "configure.ac": ""}), build):
        suite.tests()


@pytest.mark.rotating(3)
@pytest.mark.slow
@pytest.mark.parametrize("piece", _PIECES)
def test_reading_is_linear(piece: str) -> None:
    files = dict.fromkeys(_FILES, piece * (300_000 // len(piece)))
    started = time.process_time()
    find_suites(SourceTree.from_files({**files, "configure.ac": ""}), piece * 5000)
    assert time.process_time() - started < 5


DUE = {
    "brook": ("make-check", "tap"),
    "lexis": ("meson", "auto"),
    "pixmill": ("cmake-ctest", "ctest-junit"),
    "tarn": ("automake", "automake"),
    "wirepack": ("make-check", "cmocka"),
}


@pytest.mark.slow
def test_the_starter_packs_suites_are_found_as_they_are_written(tmp_path: Path) -> None:
    written = {task.spec.source.repository: task for task in load_pack(PACKS / "starter").tasks}
    for name, (system, parser) in DUE.items():
        materialise(PACKS / "starter/repositories" / name, tmp_path / name)
        task = written[name]
        environment = task.spec.environment
        suite = find_suites(git_tree(tmp_path / name), environment.build, environment.workdir)[0]
        assert (suite.system, suite.parser) == (system, parser)
        assert suite.report in (task.spec.tests.report, (MESON_REPORT,))
        assert {"tests/**", "fuzz/**"} <= set(suite.files)
        assert bool(suite.build) is bool(task.spec.tests.build)


def test_a_repository_that_cannot_be_read_is_a_mistake(tmp_path: Path) -> None:
    for commit in ("HEAD", "--output=x", "a:b"):
        with pytest.raises(TaskError):
            git_tree(tmp_path, commit)


def test_modules_that_tests_in_python_import_are_asked_for_by_debians_names() -> None:
    files = {
        "tests/test_a.py": "import os, sys\nimport requests\n  from google_auth.x import y\nimport helper\n",
        "tests/helper.py": "import yaml\n",
        "tools/gen.py": "import numpy\n",
        "src/scripts/suite.py": "from hypothesis import given\nimport unittest\n# import none\n"
        "import dev\nimport x_\nimport m\u00f3dulo\nfrom each of them\nimport everything there\n",
    }
    tree = SourceTree.from_files(files)
    found = needs_of_tests(tree, ["src/scripts/suite.py", "tests/**"])
    assert found == (
        "python3-google-auth",
        "python3-hypothesis",
        "python3-requests",
        "python3-yaml",
    )


def test_programs_that_tests_look_for_are_asked_for() -> None:
    """Not those of comments and texts, nor what the project makes itself: Debian's would be tested."""
    files = {
        "test/subset/run.py": "def which (program): ...\nfonttools = which ('fonttools')\nx = shutil.which(\"git\")\n"
        "find_executable(\n    'xxd')\n# which('unwanted')\n",
        "tests/a.sh": 'command -v xmllint >/dev/null || exit 77\nZ=$(which zstd)\ncommand -v "$CC"\n'
        "which=none\nif ! which jq 2>/dev/null; then\n  type -p bc # command -v unwanted\nfi\ncommand -v own\n"
        'echo "run command -v unwanted"\n# command -v unwanted\nmy-command -v unwanted\nwhich is that\nhash lz4\n'
        "which valgrind && run='valgrind -q'\n",
        "tests/jq.sh": "",
        "src/own.c": "",
        "tools/b.sh": "command -v inkscape\n",
    }
    wanted = ("bc", "fonttools", "jq", "libxml2-utils", "lz4", "xxd", "zstd")
    assert needs_of_tests(SourceTree.from_files(files)) == tuple(f"tool:{name}" for name in wanted)


@pytest.mark.rotating(4)
@pytest.mark.slow
@pytest.mark.parametrize(
    "files",
    [
        {"Makefile.am": "include $(srcdir)/b.am\n" * 8000, "b.am": "include a.am\n" * 8000},
        {f"d{n}/Makefile.am": "include $(top_srcdir)/a.am\n" * 8000 for n in range(100)},
    ],
    ids=["levels", "folders"],
)
def test_included_lists_of_tests_are_read_within_bounds(files: dict[str, str]) -> None:
    hostile = {"configure.ac": "AM_INIT_AUTOMAKE\n", **files, "a.am": "TESTS += a\n" * 18000}
    started = time.process_time()
    assert find_suites(SourceTree.from_files(hostile), "compile x")
    assert time.process_time() - started < 10
