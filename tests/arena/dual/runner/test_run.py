"""Shape "run": what is told of programs that are started for each step, and how limits end them."""

from __future__ import annotations

import base64
import dataclasses
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from arena.tracks.dual.runner import Order, RunLimitsSpec
from arena.tracks.dual.runner import pool as pool_module
from arena.tracks.dual.runner.observation import ProcessEnded, RunObservation
from arena.tracks.dual.runner.pool import ProgramRunner, ProgramRunnerFault
from tests.arena.dual.runner.orders import APP, QUICK, running


@pytest.mark.slow
def test_orders_can_be_run_here() -> None:
    assert ProgramRunner.available() == ""


@pytest.mark.slow
def test_a_missing_boundary_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "MODULE", "arena.tracks.dual.runner.no_such_worker")
    said = ProgramRunner.available()
    assert said.startswith("the program runner cannot isolate programs here: ") and "\n" not in said


def test_arguments_input_environment_and_exit(runner: ProgramRunner) -> None:
    program = """
        import os, sys
        data = sys.stdin.buffer.read()
        print(sys.argv[1:], data, os.environ.get("WORD"), os.environ["MODE"])
        print("oops", file=sys.stderr)
        sys.exit(3)
    """
    data = base64.b64encode(b"\xff\x00").decode()
    steps = (
        {"args": ["a b", "$(id)"], "stdin": "héllo", "env": {"WORD": "w"}},
        {"stdin": {"$bytes": data}},
    )
    seen = runner.run(running(program, *steps, env={"MODE": "m"}))
    assert [s.stdout for s in seen.steps] == [
        "['a b', '$(id)'] b'h\\xc3\\xa9llo' w m\n",
        "[] b'\\xff\\x00' None m\n",
    ]
    assert [(s.exit, s.stderr, s.ended) for s in seen.steps] == [(3, "oops\n", ProcessEnded.OK)] * 2
    assert (seen.ended, seen.stdout.count("\n")) == (ProcessEnded.OK, 2)


def test_state_is_kept_between_steps_and_not_between_orders(runner: ProgramRunner) -> None:
    program = "open('log.txt', 'a').write('x'); print(open('log.txt').read())"
    for _ in range(2):
        seen = runner.run(running(program, {}, {}))
        assert [s.stdout for s in seen.steps] == ["x\n", "xx\n"]


def test_what_a_step_leaves_running_serves_the_next_and_ends_with_the_order(
    runner: ProgramRunner,
) -> None:
    program = """
        import http.server, os, socket, sys, time, urllib.request
        if sys.argv[1] == "leave":
            listener = socket.create_server(("127.0.0.1", 8080))
            if os.fork() == 0:
                os.setsid()
                server = http.server.HTTPServer(("127.0.0.1", 8080), http.server.SimpleHTTPRequestHandler, False)
                server.socket = listener
                server.serve_forever()
        else:
            print(urllib.request.urlopen("http://127.0.0.1:8080/app.py").status)
    """
    seen = runner.run(running(program, {"args": ["leave"]}, {"args": ["ask"]}))
    assert seen.steps[1].stdout == "200\n"
    again = runner.run(running(program, {"args": ["ask"]}))
    assert "refused" in again.steps[0].stderr


def test_output_that_is_not_text(runner: ProgramRunner) -> None:
    step = runner.run(running("import os; os.write(1, b'a\\xff')")).steps[0]
    assert (step.stdout, step.binary) == ("a\ufffd", True)
    honest = runner.run(running("print('\\ufffd')")).steps[0]
    assert (honest.stdout, honest.binary) == ("\ufffd\n", False)


def test_large_input_and_a_program_that_does_not_read_it(runner: ProgramRunner) -> None:
    steps = ({"stdin": "x" * 3_000_000},)
    read = runner.run(running("import sys; print(len(sys.stdin.read()))", *steps))
    assert read.steps[0].stdout == "3000000\n"
    assert runner.run(running("print(1)", *steps)).steps[0].stdout == "1\n"


def test_a_signal_is_no_exit(runner: ProgramRunner) -> None:
    seen = runner.run(running("import os; os.abort()", {}, {}))
    assert [(s.ended, s.exit) for s in seen.steps] == [(ProcessEnded.DIED, -signal.SIGABRT)] * 2
    assert seen.ended is ProcessEnded.OK


LIMITED = {
    "wall": (
        "import time; print('a', flush=True); time.sleep(60)",
        {"seconds": 2.0},
        ProcessEnded.TIMEOUT,
    ),
    "processor": ("print('a', flush=True)\nwhile True: pass", {"cpu": 0.6}, ProcessEnded.TIMEOUT),
    "processor of children": (
        "import os\nprint('a', flush=True)\nfor _ in range(2): os.fork()\nwhile True: pass",
        {"cpu": 0.8},
        ProcessEnded.TIMEOUT,
    ),
    "memory": (
        "print('a', flush=True)\nx = b'x' * (200 << 20)\nimport time; time.sleep(60)",
        {"memory": 100 << 20},
        ProcessEnded.MEMORY,
    ),
    "shared memory": (
        "import mmap, time\nprint('a', flush=True)\nm = mmap.mmap(-1, 200 << 20)\n"
        "m.write(b'x' * (60 << 20)); m.write(b'x' * (60 << 20)); time.sleep(60)",
        {"memory": 100 << 20},
        ProcessEnded.MEMORY,
    ),
    "output": (
        "print('a', flush=True)\nwhile True: print('x' * 1000)",
        {"output": 100_000},
        ProcessEnded.OUTPUT,
    ),
}


@pytest.mark.nightly("waits for a limit to end it")
@pytest.mark.parametrize("name", LIMITED)
def test_limits_end_a_program_and_what_follows(runner: ProgramRunner, name: str) -> None:
    program, limits, ended = LIMITED[name]
    began = time.monotonic()
    seen = runner.run(running(program, {}, {}, limits=dataclasses.replace(QUICK, **limits)))
    assert [s.ended for s in seen.steps] == [ended, ProcessEnded.NOT_RUN], seen.why
    assert (seen.ended, seen.stdout[:2]) == (ended, "a\n") and seen.why
    assert len(seen.stdout) <= 2 * 100_000 and time.monotonic() - began < 15


def test_memory_that_forks_share_counts_once(runner: ProgramRunner) -> None:
    program = """
        import os, time
        x = bytearray(60 << 20)
        pids = [os.fork() for _ in range(3)]
        time.sleep(0.3)
    """
    seen = runner.run(running(program, limits=dataclasses.replace(QUICK, memory=150 << 20)))
    assert seen.ended is ProcessEnded.OK and seen.peak > 60 << 20


STARVED = [
    (RunObservation(ProcessEnded.TIMEOUT, why="1 s of time are over", cpu=0.1, seconds=1.0), 2),
    (RunObservation(ProcessEnded.TIMEOUT, why="1 s of time are over", cpu=0.9, seconds=1.0), 1),
    (
        RunObservation(
            ProcessEnded.TIMEOUT, why="1 s of CPU time are used up", cpu=0.1, seconds=1.0
        ),
        1,
    ),
    (
        RunObservation(
            ProcessEnded.NO_START, why="never-listens: 1 s of time are over", cpu=0.1, seconds=1.0
        ),
        2,
    ),
    (RunObservation(ProcessEnded.NO_START, why="exited: exit status 1", cpu=0.1, seconds=1.0), 1),
    (RunObservation(ProcessEnded.OK, cpu=0.0, seconds=1.0), 1),
]


@pytest.mark.parametrize(("seen", "times"), STARVED)
def test_what_the_clock_ended_without_the_processor_is_run_once_more(
    monkeypatch: pytest.MonkeyPatch, seen: RunObservation, times: int
) -> None:
    """The clock's end is a verdict only when the machine was not the reason."""
    made: list[Order] = []

    def ran(self: ProgramRunner, order: Order, data: bytes) -> RunObservation:
        made.append(order)
        return seen

    monkeypatch.setattr(ProgramRunner, "_ran", ran)
    assert ProgramRunner().run(running("pass")) is seen and len(made) == times


def test_processor_time_and_seconds_are_told(runner: ProgramRunner) -> None:
    seen = runner.run(
        running("import time; e = time.process_time() + 0.2\nwhile time.process_time() < e: pass")
    )
    assert 0.2 <= seen.cpu < 1.0 and seen.cpu <= seen.seconds + 0.1 and seen.peak > 1 << 20


def test_a_command_that_is_missing_is_our_fault_and_a_program_that_is_not(
    runner: ProgramRunner,
) -> None:
    with pytest.raises(ProgramRunnerFault, match="cannot start no-such-command: FileNotFoundError"):
        runner.run(Order("run", ("no-such-command",), ({},)))
    files = {"/srv/app/built": b"no program"}
    for argv in (("/srv/app/built",), ("./gone",)):
        seen = runner.run(Order("run", argv, ({}, {}), files=files, limits=QUICK))
        assert [s.ended for s in seen.steps] == [ProcessEnded.NO_START] * 2
        assert seen.steps[0].text.startswith(f"cannot start {argv[0]}: ")


@pytest.mark.usefixtures("isolated")
def test_threads_share_a_stand(runner: ProgramRunner) -> None:
    said: list[str] = []

    def ask(word: str) -> None:
        said.append(runner.run(Order("run", ("echo", word), ({},), limits=QUICK)).stdout)

    threads = [threading.Thread(target=ask, args=(w,)) for w in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(said) == ["a\n", "b\n", "c\n", "d\n"]


def test_nothing_of_the_host_is_in_the_environment(
    runner: ProgramRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_KEY", "of the host")
    names = runner.run(running("import os; print(*sorted(os.environ))")).stdout.split()
    assert "PATH" in names and not {"API_KEY", "PYTHONPATH", "USER"} & set(names)


@pytest.mark.slow
def test_a_lost_worker_is_tried_again_then_told_as_our_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ProgramRunner() as own:
        own.run(running("pass"))
        os.kill(own.processes[0], signal.SIGKILL)
        assert own.run(running("print(1)")).stdout == "1\n"
        monkeypatch.setattr(pool_module, "MODULE", "arena.tracks.dual.runner.no_such_worker")
        os.kill(own.processes[0], signal.SIGKILL)
        with pytest.raises(ProgramRunnerFault, match="the runner failed twice: a worker ended"):
            own.run(running("print(1)"))
    with pytest.raises(ProgramRunnerFault, match="closed"):
        own.run(running("pass"))


def test_nothing_is_left_when_an_order_ends(runner: ProgramRunner) -> None:
    program = (
        "import os, time\nfor _ in range(5):\n    if os.fork() == 0: os.setsid(); time.sleep(600)"
    )
    runner.run(running(program))
    worker = runner.processes[0]
    children = Path(f"/proc/{worker}/task/{worker}/children")
    deadline = time.monotonic() + 60
    while children.read_text() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert children.read_text() == ""


def test_a_limit_of_no_time_is_no_crash(runner: ProgramRunner) -> None:
    seen = runner.run(running("pass", limits=RunLimitsSpec(seconds=0.0)))
    assert seen.ended is ProcessEnded.TIMEOUT


def test_the_program_file_is_where_it_was_put(runner: ProgramRunner) -> None:
    assert APP in runner.run(running("pass")).before
