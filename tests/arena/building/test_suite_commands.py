"""The command lines of suites that do not report by themselves, run by a shell."""

from __future__ import annotations

import posixpath
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.building.suites import SourceTree, automake, automake_anew, find_suites
from arena.building.suites._parts import run_by_exit_code
from parsers import reports
from parsers.outcomes import Outcome
from parsers.registry import lookup
from tests.tiers import few

built = pytest.mark.needs("make", "cmake", "cc", package="cmake gcc make")
OUTCOMES = {0: Outcome.PASSED, 1: Outcome.FAILED, 2: Outcome.FAILED, 124: Outcome.TIMEOUT}
OUTCOMES |= {134: Outcome.CRASHED, 139: Outcome.CRASHED}
PRINTED = ["true", "printf x", "echo exit code of p0: 0", "cd /", "echo exit codes: 1", "set -e"]


@given(st.lists(st.tuples(st.sampled_from(list(OUTCOMES)), st.sampled_from(PRINTED)), min_size=1))
@few()
def test_each_part_is_told_by_its_own_exit_code(parts: list[tuple[int, str]]) -> None:
    """Whatever a part prints last, changes or ends: the others run, and none that failed passes."""
    lines = {f"p{n}": f"{said}; exit {code}" for n, (code, said) in enumerate(parts)}
    done = subprocess.run(["sh", "-c", run_by_exit_code(lines)], capture_output=True, check=False)
    report = reports.parse("exit-codes", {"output": done.stdout}, done.returncode)
    due = {f"p{n}": OUTCOMES[code] for n, (code, _) in enumerate(parts)}
    assert report.outcomes == due
    assert (done.returncode == 0) is all(outcome is Outcome.PASSED for outcome in due.values())
    honest = not any("exit code" in said for _, said in parts)
    assert report.complete or not honest
    assert honest or not report.complete


def run(command: str, folder: Path) -> int:
    return subprocess.run(["sh", "-c", command], cwd=folder, check=False).returncode


def test_each_script_that_calls_the_runner_writes_a_report_of_its_own(tmp_path: Path) -> None:
    ran = "Test #1: '.' at line number 4\\n%s of 1 tests passed (0 malformed, 0 skipped)\\n"
    script = "#!/bin/sh\n./jq --run-tests tests/a.test\n"
    files = {"tests/jqtest": script, "tests/more/mantest": script.replace("a.test", "b.test")}
    jq = f'#!/bin/sh\ncase $2 in *a.test) printf "{ran % 1}";; *) printf "{ran % 0}"; exit 1;; esac\n'
    for name, text in {**files, "jq": jq}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    (suite,) = find_suites(SourceTree.from_files(files))
    assert run(suite.command, tmp_path) == 1
    written = {str(p.relative_to(tmp_path)): p.read_bytes() for p in tmp_path.glob(*suite.report)}
    report = reports.parse(suite.parser, written, 1, prefixed=True)
    assert report.outcomes["tests-jqtest: line 4: ."] is Outcome.PASSED
    assert set(report.outcomes) == {f"tests-{n}: line 4: ." for n in ("jqtest", "more-mantest")}
    assert not report.complete  # the second one counts no pass, though no line says why
    assert any("mantest: tests that passed" in line for line in report.problems)


def written(folder: Path, files: dict[str, str]) -> SourceTree:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return SourceTree.from_files(files)


def ran(tree: SourceTree, folder: Path, build: str = "") -> tuple[int, dict[str, Outcome]]:
    """Status and outcomes of the only suite of a project, built and run by a shell."""
    (suite,) = find_suites(tree, build)
    assert run(suite.build, folder) == 0
    line = ["sh", "-c", f"{{ {suite.command}\n}} 2>&1"]
    done = subprocess.run(line, cwd=folder, stdout=subprocess.PIPE, check=False)
    report = reports.parse(suite.parser, {"output": done.stdout}, done.returncode)
    assert report.complete
    return done.returncode, report.outcomes


@built
def test_programs_that_a_makefile_builds_are_run_where_it_is(tmp_path: Path) -> None:
    unit = (
        'all:\n\tmkdir -p Bin && for n in "a b" c fuzz_c; do cp "$$(which test)" "Bin/$$n"; done\n'
    )
    here = "all:\n\tcp $$(which ls) . && echo 'exit 3' > x.sh && chmod +x x.sh\n"
    files = {"Makefile": "all:\n", "Tests/Unit/Makefile": unit, "Tests/More/GNUmakefile": here}
    status, outcomes = ran(written(tmp_path, files), tmp_path)
    # `test` without arguments fails; a script is no program, and a name with a blank is two that are none
    assert outcomes == {"Tests/More/ls": Outcome.PASSED, "Tests/Unit/Bin/c": Outcome.FAILED}
    assert status == 1


@pytest.mark.slow
@built
def test_programs_that_cmake_builds_see_the_folder_of_their_sources(tmp_path: Path) -> None:
    """The build folder is another one: data are found beside the sources."""
    program = '#include <stdio.h>\nint main(void) { return fopen("data", "r") == NULL; }\n'
    root = "cmake_minimum_required(VERSION 3.10)\nproject(p C)\nadd_subdirectory(tests)\n"
    here = "add_executable(unit unit.c)\n"
    files = {"CMakeLists.txt": root, "tests/CMakeLists.txt": here, "tests/unit.c": program}
    tree = written(tmp_path, {**files, "tests/data": ""})
    assert ran(tree, tmp_path) == (0, {"build/tests/unit": Outcome.PASSED})
    build = "cmake -S . -B /tmp/x"
    (tmp_path / "tests/data").unlink()
    assert ran(tree, tmp_path) == (1, {"build/tests/unit": Outcome.FAILED})
    (suite,) = find_suites(tree, build)
    assert "find /tmp/x/tests tests" in suite.command


@built
def test_a_project_in_a_folder_of_its_repository(tmp_path: Path) -> None:
    made = "test:\n\t@pwd | grep -q /lib$$\n"
    tree = written(
        tmp_path,
        {"lib/Makefile": made, "lib/tests/a.c": "", "tests/data": "", "fuzz/Makefile": made},
    )
    assert ran(tree, tmp_path) == (0, {"test": Outcome.PASSED})
    (suite,) = find_suites(tree)
    assert suite.files == ("fuzz/**", "lib/tests/**", "tests/**")
    assert suite.why.endswith("in lib")


@pytest.mark.slow
@built
def test_a_target_of_cmake_that_runs_a_script_of_tests(tmp_path: Path) -> None:
    root = (
        "cmake_minimum_required(VERSION 3.10)\nproject(p NONE)\nadd_custom_target(prepared)\n"
        "add_custom_target(testsuite COMMAND python3 ${PROJECT_SOURCE_DIR}/scripts/suite.py -v\n"
        "  DEPENDS prepared)\n"
    )
    cases = (
        "import unittest\n\n\nclass Serves(unittest.TestCase):\n    def test_one(self):\n        pass\n\n"
        "    def test_two(self):\n        self.fail()\n\n\nunittest.main()\n"
    )
    tree = written(tmp_path, {"CMakeLists.txt": root, "scripts/suite.py": cases})
    status, outcomes = ran(tree, tmp_path)
    assert status != 0
    assert sorted(outcomes.values()) == [Outcome.FAILED, Outcome.PASSED]
    assert all("Serves" in name for name in outcomes)


@pytest.mark.slow
@built
def test_of_what_stands_beside_the_tests_programs_alone_count(tmp_path: Path) -> None:
    """Scripts by the dozen do not crowd them out, no name is a pattern, and fuzz targets are no tests."""
    names = "z '*' fuzz/target fuzz_y"
    unit = f'all:\n\tmkdir fuzz && for n in {names}; do cp "$$(which true)" "$$n"; done\n'
    tree = written(tmp_path, {"Makefile": "all:\n", "tests/Makefile": unit})
    for number in range(70):
        (tmp_path / f"tests/a{number}.sh").touch(0o755)
    assert ran(tree, tmp_path) == (0, dict.fromkeys(("tests/*", "tests/z"), Outcome.PASSED))


@pytest.mark.slow
@built
@pytest.mark.parametrize("below", [".", "tests/b"])
def test_a_program_in_two_places_that_are_one_is_run_once(tmp_path: Path, below: str) -> None:
    root = "cmake_minimum_required(VERSION 3.10)\nproject(p C)\nadd_subdirectory(tests)\n"
    here = "add_executable(unit unit.c)\n"
    program = "int main(void) { return 0; }\n"
    files = {"CMakeLists.txt": root, "tests/CMakeLists.txt": here, "tests/unit.c": program}
    tree, build = written(tmp_path, files), f"cmake -S . -B {below}"
    assert run(build, tmp_path) == 0
    name = posixpath.normpath(f"{below}/tests/unit")
    assert ran(tree, tmp_path, build) == (0, {name: Outcome.PASSED})


@pytest.mark.slow
@built
def test_a_program_that_will_not_end_is_ended(tmp_path: Path) -> None:
    deaf = "#include <signal.h>\n#include <unistd.h>\n"
    deaf += "int main(void) { signal(SIGTERM, SIG_IGN); for (;;) pause(); }\n"
    tree = written(
        tmp_path,
        {"Makefile": "all:\n", "tests/Makefile": "all: deaf\n", "tests/deaf.c": deaf},
    )
    (suite,) = find_suites(tree)
    assert run(suite.build, tmp_path) == 0
    quick = suite.command.replace("-k 5 60", "-k 0.1 0.1")
    done = subprocess.run(["sh", "-c", quick], cwd=tmp_path, check=False, timeout=30)
    assert done.returncode == 137


STATUS = """\
#!/bin/sh
echo "'--enable-fuzz' '--disable-tests' 'CC=clang' 'CFLAGS=-O1 -fsanitize=address' --with-x CXX=clang++"
"""
CONFIGURE = """\
#!/bin/sh
echo "$@" >>tried
case " $* " in *" {wants} "*) exit 0 ;; *) exit 1 ;; esac
"""
WAYS = ["", "--enable-fuzz --with-x", "CC=clang CFLAGS=-O1 -fsanitize=address CXX=clang++"]


@pytest.mark.parametrize(
    ("wants", "ways"), [("--enable-tests", 1), ("--with-x", 2), ("CC=clang", 3)]
)
def test_what_is_built_anew_is_configured_as_plainly_as_it_can_be(
    wants: str, ways: int, tmp_path: Path
) -> None:
    """A library that the recipe made with a sanitizer links with the recipe's own flags alone."""
    scripts = {
        "config.status": STATUS,
        "configure": CONFIGURE.format(wants=wants),
        "make": "#!/bin/sh\n",
    }
    for name, text in scripts.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    line = automake_anew.ANEW.format(programs="")
    env = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    subprocess.run(["bash", "-c", line], cwd=tmp_path, env=env, check=True)
    tried = [" ".join(told.split()) for told in (tmp_path / "tried").read_text().splitlines()]
    assert tried == [f"{way} --enable-tests".strip() for way in WAYS[:ways]]


RUNNER = """\
mkdir -p tests
printf 'a.pcap   \\tOK\\nb.pcap   \\tFAILED\\nc.pcap\\tOK\\nd.pcap \\tOKFAIL do.sh (exit status: 1)\\n' > tests/do.sh.log
printf ':test-result: FAIL\\n:global-test-result: FAIL\\n' > tests/do.sh.trs
printf 'nothing to see\\nPASS unit (exit status: 0)\\n' > tests/unit.log
echo ':test-result: PASS' > tests/unit.trs
echo ':test-result: SKIP' > tests/dga.trs
printf 'PASS: do.sh\\nPASS: unit\\nPASS: dga\\nexit code of all: 0\\n'
exit 2
"""


def test_of_few_tests_of_automake_the_logs_name_theirs(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/gone.trs").write_text(":test-result: PASS\n")
    (tmp_path / "run").write_text(RUNNER)
    line = automake.LOGS.format(reports="tests/*.trs", run="sh ./run || code=$?")
    done = subprocess.run(
        ["sh", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and not done.stderr
    report = lookup("parsers.reports", "exit-codes").parse(done.stdout, "console", 2)
    told = {name: str(outcome) for name, outcome in report.outcomes.items()}
    pcaps = {f"tests/do.sh > {name}.pcap": "passed" for name in "acd"}
    assert told == {
        **pcaps,
        "tests/do.sh > b.pcap": "failed",
        "tests/do.sh": "failed",
        "tests/unit": "passed",
    }
    assert report.level == "cases" and report.complete and not report.problems
