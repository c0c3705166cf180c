"""What a run tells: outcomes, calls, events, and why a run that did not finish ended."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator

import psutil
import pytest

from arena.tracks.mutation.runner import cell, records
from arena.tracks.mutation.runner import pool as pool_module
from arena.tracks.mutation.runner.facts import EndOfTest, RunResult, Stopped
from arena.tracks.mutation.runner.pool import (
    RunLimits,
    RunnerFault,
    SuiteJob,
    TestRunner,
    WorkerLost,
)
from harness.sandbox.jail import seccomp

ROOM = RunLimits(seconds=20.0)
ADD = "def add(a, b):\n    return a + b\n"


@pytest.fixture(scope="module")
def runner() -> Iterator[TestRunner]:
    with TestRunner(1) as runner:
        yield runner


def run(runner: TestRunner, program: str, tests: str, apart: bool = False) -> RunResult:
    return runner.run(SuiteJob(textwrap.dedent(program), textwrap.dedent(tests), ROOM, apart))


def kinds(result: RunResult, index: int = 0) -> list[str]:
    return [e.kind for e in result.tests[index].events]


@pytest.mark.slow
def test_runs_can_be_isolated_here() -> None:
    assert TestRunner.available() == ""


def test_a_missing_boundary_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "MODULE", "arena.tracks.mutation.runner.no_such_worker")
    said = TestRunner.available()
    assert said.startswith("the test runner cannot isolate runs here: ") and "\n" not in said


def test_calls_are_told_outermost_only(runner: TestRunner) -> None:
    program = """
        class Box:
            def __init__(self, size):
                self.size = size
            def double(self):
                return outer(self.size)
            @staticmethod
            def make():
                return Box(1)
        def inner(x):
            return x
        def outer(x):
            return inner(x) * 2
        def fails(x):
            raise ValueError(f"not {x}")
    """
    tests = """
        import pytest
        def test_a():
            assert outer(2) == 4
            assert Box(3).double() == 6
            with pytest.raises(ValueError):
                fails('a')
    """
    calls = run(runner, program, tests).tests[0].calls
    assert [c.function for c in calls] == ["outer", "Box.__init__", "Box.double", "fails"]
    assert calls[0].arguments == "((2,), {})" and calls[0].returned == "4"
    assert calls[3].returned is None
    assert (calls[3].raised, calls[3].text) == ("ValueError", "not a")


def test_wrapped_functions_keep_what_tests_look_at(runner: TestRunner) -> None:
    program = """
        import functools
        def mark(f):
            f._requires_auth = True
            return f
        @mark
        def view(request, id=3):
            "Text."
            return id
    """
    tests = """
        import inspect, target_module
        def test_a():
            assert view._requires_auth and view.__doc__ == "Text." and view.__name__ == "view"
            assert list(inspect.signature(view).parameters) == ["request", "id"]
            assert "return id" in inspect.getsource(view)
            assert inspect.getsource(target_module).count("def ") == 2
    """
    result = run(runner, program, tests)
    assert result.has_passed, result


def test_the_audit_hook_sees_what_goes_around_substitutes(runner: TestRunner) -> None:
    program = """
        import posix
        def shell(line):
            try:
                posix.system(line)
            except OSError:
                pass
        def calc(text):
            return eval(text)
        def read(path):
            with open(path) as file:
                return file.read()
        def canary(text):
            exec(text)
    """
    tests = """
        def test_shell(): shell('id; true')
        def test_eval(): assert calc('1 + 1') == 2
        def test_read(): assert 'root' in read('../../etc/passwd')
        def test_canary(): canary('arena_canary("ran")')
    """
    result = run(runner, program, tests)
    assert [t.outcome for t in result.tests] == [EndOfTest.PASSED] * 4, result
    events = [[(e.kind, e.detail) for e in t.events] for t in result.tests]
    assert ("command.shell", "id; true") in events[0]
    assert ("code.evaluated", "1 + 1") in events[1]
    assert ("file.opened", "r /etc/passwd") in events[2]
    assert ("canary.executed", "ran") in events[3]
    assert result.tests[3].calls[0].events == result.tests[3].events


def test_what_the_import_told_stands_first_in_every_test(runner: TestRunner) -> None:
    program = "arena_canary('import')\n" + ADD
    result = run(runner, program, "def test_a(): pass\ndef test_b(): arena_canary('b')\n")
    told_of = [[e.detail for e in t.events if e.kind == "canary.executed"] for t in result.tests]
    assert told_of == [["import"], ["import", "b"]]


def test_events_are_counted_where_they_are_too_many(runner: TestRunner) -> None:
    tests = "def test_a():\n    for i in range(1000): arena_canary('x' * 9999)\n"
    events = run(runner, ADD, tests).tests[0].events
    assert len(events) == 401 and events[-1].kind == "dropped" and events[-1].detail == "600"
    assert len(events[0].detail) == 500


@pytest.mark.parametrize(
    ("tests", "where"),
    [
        ("def test_a():\n    assert add(1, 1) == 3\n", "test"),
        ("def test_a():\n    add(1, None)\n", "program"),
        ("import json\ndef test_a():\n    json.loads('x')\n", "other"),
        ("import pytest\ndef test_a():\n    pytest.fail('x')\n", "test"),
        (
            "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): self.fail('x')\n",
            "test",
        ),
    ],
)
def test_it_is_told_whose_code_raised(tests: str, where: str, runner: TestRunner) -> None:
    assert run(runner, ADD, tests).tests[0].where == where


@pytest.mark.parametrize(
    ("program", "tests", "error", "where"),
    [
        (
            ADD,
            "import nothing_here\n",
            "ModuleNotFoundError: No module named 'nothing_here'",
            "test",
        ),
        ("import nothing_here\n", "def test_a(): pass\n", "ModuleNotFoundError", "program"),
        (
            "def f(:\n",
            "def test_a(): pass\n",
            "SyntaxError: invalid syntax (target_module.py, line 1)",
            "program",
        ),
        (ADD, "def f(:\n", "SyntaxError: invalid syntax (test_generated.py, line 1)", "test"),
        (ADD, "x = 1\n", "NoTests: the module holds no test", "test"),
    ],
)
def test_what_cannot_be_imported_is_uncollected(
    program: str, tests: str, error: str, where: str, runner: TestRunner
) -> None:
    result = runner.run(SuiteJob(program, tests, ROOM))
    assert result.stopped is Stopped.UNCOLLECTED and not result.has_passed
    assert result.error.startswith(error) and result.where == where


def test_tests_apart_start_from_the_same_state_and_die_alone(runner: TestRunner) -> None:
    program = "import os\nseen = []\ndef see(x):\n    seen.append(x)\n    return list(seen)\n"
    tests = """
        import os
        def test_a(): assert see(1) == [1]
        def test_b(): os._exit(3)
        def test_c(): assert see(2) == [2]
        def test_d(): assert see(3) == [1, 2, 3]
    """
    result = run(runner, program, tests, apart=True)
    assert [t.outcome.value for t in result.tests] == ["passed", "error", "passed", "failed"]
    assert result.stopped is Stopped.FINISHED
    assert result.tests[1].error == "Died: exit status 3"


@pytest.mark.nightly("waits for a limit to end it")
def test_a_run_that_is_cut_keeps_what_was_told_and_names_the_test(runner: TestRunner) -> None:
    tests = "def test_a(): pass\ndef test_slow():\n    while True: pass\n"
    result = runner.run(SuiteJob(ADD, tests, RunLimits(seconds=2.0)))
    assert result.stopped is Stopped.TIMEOUT and not result.has_passed
    assert [t.name for t in result.tests] == ["test_a"] and "in test_slow" in result.error
    result = runner.run(SuiteJob(ADD, tests, RunLimits(seconds=20, cpu=1)))
    assert result.stopped is Stopped.TIMEOUT and "CPU" in result.error


def test_processes_that_take_too_much_together_are_ended(runner: TestRunner) -> None:
    tests = """
        import posix, time
        def test_a():
            for _ in range(5):
                if posix.fork() == 0:
                    held = bytearray(48 << 20)
                    time.sleep(120)
                    posix._exit(0)
            time.sleep(60)
    """
    limits = RunLimits(seconds=60.0, memory=64 << 20)
    result = runner.run(SuiteJob(ADD, textwrap.dedent(tests), limits))
    assert result.stopped is Stopped.DIED and "memory together" in result.error
    assert result.seconds < 55


def test_too_much_told_is_cut(runner: TestRunner) -> None:
    tests = "import pytest\n@pytest.mark.parametrize('i', range(400))\ndef test_a(i):\n    assert 0, 'x' * 9999\n"
    result = runner.run(SuiteJob(ADD, tests, RunLimits(seconds=20, output=1 << 20)))
    assert result.stopped is Stopped.OUTPUT and not result.has_passed


def test_runs_leave_nothing_to_the_next(runner: TestRunner) -> None:
    leave = "import os, builtins\nopen('left', 'w').write('x'); open('/tmp/left', 'w').write('x')\n"
    leave += "builtins.left = 1\nos.environ['LEFT'] = '1'\ndef test_a(): pass\n"
    look = "import os, builtins\ndef test_a():\n    assert not os.path.exists('left') and not os.path.exists('/tmp/left')\n"
    look += "    assert not hasattr(builtins, 'left') and 'LEFT' not in os.environ\n"
    assert runner.run(SuiteJob(ADD, leave, ROOM)).has_passed
    result = runner.run(SuiteJob(ADD, look, ROOM))
    assert result.has_passed, result


def test_the_same_run_gives_the_same_numbers(runner: TestRunner) -> None:
    tests = "import random\ndef test_a(): assert random.random() == 0, random.random()\n"
    first, second = (runner.run(SuiteJob(ADD, tests, ROOM)).tests[0].error for _ in range(2))
    assert first == second and first.startswith("AssertionError: 0.")


@pytest.mark.slow
def test_the_callers_environment_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVATE_TOKEN", "value")
    tests = "import posix\ndef test_a():\n    assert b'PRIVATE_TOKEN' not in posix.environ\n"
    with TestRunner(1) as own:
        assert own.run(SuiteJob(ADD, tests, ROOM)).has_passed


@pytest.mark.usefixtures("isolated")
def test_threads_share_workers(runner: TestRunner) -> None:
    found: list[RunResult] = []
    job = SuiteJob(ADD, "def test_a(): assert add(1, 1) == 2\n", ROOM)
    threads = [threading.Thread(target=lambda: found.append(runner.run(job))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [r.has_passed for r in found] == [True] * 6


def _below() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True)


@pytest.mark.slow
def test_a_killed_worker_is_replaced_and_none_is_left_behind() -> None:
    before = {p.pid for p in _below()}
    job = SuiteJob(ADD, "def test_a(): assert add(1, 1) == 2\n", ROOM)
    with TestRunner(1) as own:
        assert own.run(job).has_passed
        for process in _below():
            if process.pid not in before:
                process.send_signal(signal.SIGKILL)
        assert own.run(job).has_passed
    gone, _ = psutil.wait_procs([p for p in _below() if p.pid not in before], timeout=60)
    assert {p.pid for p in _below()} - before == set(), gone


@pytest.mark.slow
def test_a_worker_that_always_fails_is_a_fault_and_no_verdict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pool_module, "MODULE", "arena.tracks.mutation.runner.no_such_worker")
    with TestRunner(1) as own, pytest.raises(RunnerFault, match="failed twice"):
        own.run(SuiteJob(ADD, "def test_a(): pass\n", ROOM))


def test_a_run_that_cannot_be_shut_in_is_a_fault() -> None:
    with pytest.raises(WorkerLost, match="no room"):
        pool_module._result({"stopped": "fault", "error": "OSError: no room", "where": ""}, [])


def test_a_module_that_is_too_long_is_uncollected(runner: TestRunner) -> None:
    result = runner.run(SuiteJob(ADD, "#" * (pool_module.MAX_SOURCE + 1)))
    assert result.stopped is Stopped.UNCOLLECTED and result.where == "test"
    assert result.error.startswith("TooLong: the tests")


def test_a_run_without_the_processor_is_made_once_more(
    runner: TestRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, fine = RunResult(Stopped.TIMEOUT, cpu=1.0), RunResult(Stopped.FINISHED)
    busy = RunResult(Stopped.TIMEOUT, cpu=4.0)
    for results, expected in (([slow, fine], fine), ([slow, slow], slow), ([busy], busy)):
        given = iter(results)
        monkeypatch.setattr(runner, "_ran", lambda job, given=given: next(given))
        assert runner.run(SuiteJob(ADD, "")) is expected


@pytest.mark.slow
def test_without_a_boundary_only_when_asked() -> None:
    with TestRunner(1, isolated=False) as own:
        result = own.run(SuiteJob(ADD, "def test_a(): assert add(1, 1) == 2\n", ROOM))
        again = own.run(SuiteJob(ADD, "import os\ndef test_a(): os._exit(0)\n", ROOM))
    assert result.has_passed and again.stopped is Stopped.DIED


@pytest.mark.parametrize(
    "payload",
    [b"", b"[]", b"{}", b'{"name": 1, "outcome": "passed"}', b'{"name": "a", "outcome": "fine"}',
     b'{"name": "a", "outcome": "passed", "calls": [[1]]}', b"[" * 100_000],
)  # fmt: skip
def test_a_record_that_no_runner_wrote_is_refused(payload: bytes) -> None:
    with pytest.raises(records.MalformedFacts):
        records.test(payload)


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_the_filter_is_whole_steps_and_refuses_starting_programs(machine: str) -> None:
    program = seccomp.program(machine)
    assert len(program) % 8 == 0 and len(program) // 8 < 4096
    assert {"execve", "execveat", "mount", "unshare", "setns", "ptrace", "bpf"} <= set(
        seccomp.refused_calls(machine)
    )


def test_the_cell_shows_no_more_of_the_project_than_its_packages() -> None:
    root = str(cell.project())
    inside = [p for p in cell.visible_paths() if p.startswith(root)]
    assert sorted(p for p in inside if not p.startswith(sys.prefix)) == [
        f"{root}/arena/tracks/mutation/runner",
        f"{root}/harness",
        f"{root}/parsers",
    ]


@pytest.mark.usefixtures("isolated")
def test_a_user_who_is_not_root_runs_too() -> None:
    """In a user namespace in which this user has another number: what the kernel lets any user do."""
    code = (
        "import os\nfrom arena.tracks.mutation.runner.pool import *\nprint(os.getuid(), repr(TestRunner.available()))\n"
        "job = SuiteJob('def f(): return 1', 'import os\\ndef test_a(): assert f() == 1 and os.getuid() == 1234')\n"
        "with TestRunner(1) as b: print(b.run(job).has_passed)"
    )
    done = subprocess.run(
        ["unshare", "--user", "--map-user=1234", "--map-group=1234", sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=cell.project(),
        env={"PYTHONPATH": str(cell.project()), "PATH": "/usr/bin:/bin"},
    )
    assert done.stdout.split() == ["1234", "''", "True"], done.stderr
