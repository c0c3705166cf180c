"""The oracle of a tiny task, taken: an honest suite, and suites that are none."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from arena.building.oracle import CODES, AcquiredOracle, acquire
from arena.building.suites._parts import run_by_exit_code
from harness.grade import reference, testing
from harness.grade.ports import MemoryCache
from harness.grade.testing import SuiteRun
from harness.sandbox.base import Backend
from tasks.loader import Task, load_pack
from tests.mini import Mini

STEPS = ["gold", "coverage", "gold's builds, runs and attacks", "pvic", "sast"]
SCANNER = "tests.arena.building.oracle.words:Words"
TAP = "build/results.tap"
PASSES = f"printf 'ok 1 - fine\\n1..1\\n' > {TAP}"
SOMETIMES = "if [ -e build/odd ]; then rm build/odd; r=ok; else touch build/odd; r='not ok'; fi"


def changed(mini: Mini, **tests: object) -> Task:
    """The mini task with other fields of `[tests]`; `build_all` is the shipped build command."""
    task = load_pack(mini.folder).tasks[0]
    line = tests.pop("build_all", None)
    spec = task.spec.model_copy(update={"tests": task.spec.tests.model_copy(update=tests)})
    if line:
        environment = spec.environment.model_copy(update={"build": line})
        spec = spec.model_copy(update={"environment": environment})
    return replace(task, spec=spec)


def taken(backend: Backend, task: Task, runs: int = 2) -> AcquiredOracle:
    oracle = acquire(backend, task, MemoryCache(), runs, SCANNER)
    assert {problem.code for problem in oracle.problems} <= CODES.keys()
    json.dumps(oracle.to_json())
    return oracle


def codes(oracle: AcquiredOracle) -> list[str]:
    return [problem.code for problem in oracle.problems]


@pytest.mark.nightly("gold is taken anew for a task of its own")
def test_an_honest_suite_reaches_what_gold_adds(backend: Backend, mini: Mini) -> None:
    steps: list[str] = []
    oracle = acquire(backend, changed(mini), MemoryCache(), 2, SCANNER, steps.append)
    assert (codes(oracle), oracle.fit, steps) == ([], True, STEPS)
    assert oracle.fail_to_pass == ("results: twice word",)
    upper = ("results: upper empty", "results: upper word")
    assert oracle.pass_to_pass == ("results: twice empty", *upper)
    assert oracle.pvic == dict.fromkeys(upper, "passed")
    assert oracle.reach.reaches is True
    (file,) = oracle.reach.files
    assert file.path == "src/text.c"
    assert 0 < file.added_executed <= file.added < file.instrumented
    assert oracle.poc is not None
    assert (oracle.poc["kind"], oracle.poc_historical) == ("heap-buffer-overflow", True)
    assert oracle.sast is not None
    assert [found["rule"] for found in oracle.sast["findings"]] == ["product"]


def test_a_suite_that_passes_trivially_is_caught_after_one_run(
    local: Backend, mini: Mini, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[str] = []

    def run_suite(backend: Backend, box: Any, task: Task, cache: Any) -> SuiteRun:
        runs.append(task.id)
        return testing.run_suite(backend, box, task, cache)

    monkeypatch.setattr(reference, "run_suite", run_suite)
    oracle = taken(local, changed(mini, command=PASSES), runs=5)
    assert codes(oracle) == ["not-reached"]
    assert len(runs) == 1, "more of them would tell nothing"
    assert not oracle.pvic, "what is unfit is not run any further"
    assert oracle.reach.files[0].executed == 0
    assert not oracle.fit


def test_a_suite_that_calls_the_program_but_not_the_feature_is_caught(
    local: Backend, mini: Mini
) -> None:
    command = f"./build/tool upper a && {PASSES}"
    oracle = taken(local, changed(mini, command=command))
    assert "not-reached" in codes(oracle)
    assert oracle.reach.files[0].executed > 0


@pytest.mark.nightly("gold is taken anew for a task of its own")
def test_clang_is_measured_as_well(local: Backend, mini: Mini) -> None:
    task = changed(mini, command="make CC=clang check", build_all="make CC=clang build/tool")
    oracle = taken(local, task)
    assert oracle.reach.reaches is True
    assert oracle.reach.files[0].added_executed > 0


@pytest.mark.nightly("gold is taken anew for a task of its own")
def test_a_compiler_named_by_its_path_is_reported_as_not_measured(
    local: Backend, mini: Mini
) -> None:
    line = "make CC=/usr/bin/cc"
    task = changed(mini, command=f"{line} check", build_all=f"{line} build/tool")
    oracle = taken(local, task)
    assert codes(oracle) == ["not-measured"]
    assert oracle.reach.reaches is None
    assert any("/usr/bin/cc" in note for note in oracle.reach.notes)


@pytest.mark.nightly("gold is taken anew for a task of its own")
def test_a_flaky_test_is_listed_and_the_others_are_kept(local: Backend, mini: Mini) -> None:
    command = (
        f"make check; sed -i '/^1\\.\\./d' {TAP}; n=$(($(grep -c ok {TAP}) + 1)); {SOMETIMES}; "
        f'echo "$r $n - sometimes" >> {TAP}; echo "1..$n" >> {TAP}'
    )
    oracle = taken(local, changed(mini, command=command))
    assert oracle.flaky == ("results: sometimes",)
    assert len(oracle.outcomes) == 4
    assert codes(oracle) == ["flaky-tests"]
    assert oracle.fit


@pytest.mark.nightly("gold is taken anew for a task of its own")
def test_a_suite_of_exit_codes_is_named_after_its_target_and_told_to_be_weak(
    local: Backend, mini: Mini
) -> None:
    command = run_by_exit_code({"check": "make -s check", "tool": "test -x build/tool"})
    oracle = taken(local, changed(mini, command=command, parser="exit-codes", report=()))
    assert codes(oracle) == ["only-exit-codes"]
    assert oracle.problems[0].text.endswith("only exit codes: check, tool")
    assert (oracle.fail_to_pass, oracle.pass_to_pass) == (("check",), ("tool",))
    assert oracle.complete
    assert oracle.fit


@pytest.mark.nightly("gold is taken anew for a task of its own")
def test_a_suite_of_exit_codes_may_be_mended_by_gold(local: Backend, mini: Mini) -> None:
    """As file 59438's, of which one exit code tells: at PVIC its tests are run and fail."""
    command = run_by_exit_code({"check": "make -s check && grep -q twice src/text.c"})
    oracle = taken(local, changed(mini, command=command, parser="exit-codes", report=()))
    assert codes(oracle) == ["only-exit-codes", "pvic-fails-its-suite"]
    assert (oracle.fail_to_pass, oracle.pass_to_pass) == (("check",), ())
    assert oracle.fit
    killed = run_by_exit_code({"check": "grep -q twice src/text.c || exit 137; make -s check"})
    crashed = changed(mini, command=killed, parser="exit-codes", report=())
    assert "pvic-fails-all" in codes(taken(local, crashed))


@pytest.mark.nightly("gold is taken anew for a task of its own")
def test_a_suite_that_fails_with_gold_is_told_to_rest_on_its_own_lines(
    local: Backend, mini: Mini
) -> None:
    lines = "for t in a b c; do echo $t ... ok; done"
    command = run_by_exit_code({"check": f"make -s check; {lines}; echo d ... FAILED; false"})
    oracle = taken(local, changed(mini, command=command, parser="exit-codes", report=()))
    assert "only-own-lines" in codes(oracle) and "only-exit-codes" not in codes(oracle)
    assert oracle.outcomes == {
        "check": "failed",
        "check > d": "failed",
        **{f"check > {name}": "passed" for name in "abc"},
    }


FAILING: dict[str, dict[str, Any]] = {
    "tests-not-found": {"command": "true"},
    "no-test-passes": {"command": f"printf 'not ok 1 - a\\n1..1\\n' > {TAP}"},
    "flaky-only": {"command": f'{SOMETIMES}; printf "$r 1 - a\\n1..1\\n" > {TAP}'},
    "timeouts": {"command": "sleep 20", "timeout": 0.5},
    "tests-do-not-build": {"build": "make no-such-target"},
    "gold-does-not-build": {"build_all": "! grep -q twice src/text.c && make build/tool"},
    "pvic-does-not-build": {"build_all": "make no-such-target"},
}


@pytest.mark.rotating(2)
@pytest.mark.parametrize("code", FAILING)
def test_why_there_is_no_oracle_has_a_code(local: Backend, mini: Mini, code: str) -> None:
    oracle = taken(local, changed(mini, **FAILING[code]))
    assert codes(oracle) == [code]
    assert oracle.problems[0].text
    assert not oracle.fit
    assert oracle.outcomes == {}


@pytest.mark.nightly("gold is taken anew for a task of its own")
def test_tests_that_need_gold_to_build_fail_at_pvic(local: Backend, mini: Mini) -> None:
    task = changed(mini, build="grep -q twice src/text.c")
    oracle = taken(local, task)
    assert codes(oracle) == ["pvic-fails-all"]
    assert "do not build at PVIC" in oracle.problems[0].text
    assert len(oracle.fail_to_pass) == 4


@pytest.mark.nightly("gold is taken anew for a task of its own")
def test_gold_is_taken_once_for_the_same_runs(local: Backend, mini: Mini) -> None:
    cache = MemoryCache()
    first = acquire(local, changed(mini), cache, 2, SCANNER)
    facts = set(cache._facts)
    again = acquire(local, changed(mini, runs=2), cache, 2, SCANNER)
    assert facts == set(cache._facts)
    assert sum(name.startswith("reference:") for name in facts) == 1
    assert again.outcomes == first.outcomes


NO_COUNTERS = (
    "case $PATH in /tmp*) echo a.c:1: error: no; echo last; exit 3 ;; esac; make build/tool"
)


@pytest.mark.nightly("gold is taken anew for a task of its own")
def test_a_build_that_no_counter_fits_is_not_measured(local: Backend, mini: Mini) -> None:
    oracle = taken(local, changed(mini, build_all=NO_COUNTERS))
    assert codes(oracle) == ["not-measured"] and oracle.fit
    assert (
        oracle.reach.reason
        == "with counters: gold does not build: exit status 3 | a.c:1: error: no"
    )


@pytest.mark.nightly("gold is taken anew for a task of its own")
def test_a_feature_that_nothing_shows_is_found_before_anything_is_built_on_it(
    local: Backend, mini: Mini
) -> None:
    """No test fails without it, and what runs is not known: a patch that does nothing would be C&S."""
    oracle = taken(local, changed(mini, build_all=NO_COUNTERS, command=PASSES))
    assert codes(oracle) == ["not-measured", "feature-not-tested", "not-shown-by-tests"]
    assert not oracle.fit
