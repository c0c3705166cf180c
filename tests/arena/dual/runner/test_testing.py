"""Suites that are code: what a test comes to, and that the program can neither see nor speak for it."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from arena.tracks.dual.runner.drivers import call_argv
from arena.tracks.dual.runner.observation import ProcessEnded, RunObservation
from arena.tracks.dual.runner.order import HOME, CodeSuite, Order, RunLimitsSpec
from arena.tracks.dual.runner.pool import ProgramRunner

FILE = f"{HOME}/solution.py"
SUITE = """
import sqlite3
import pytest
from wrapt_timeout_decorator import *
from program import f

EXPECTED = "the-expected-value"

pytestmark = pytest.mark.security


def test_value():
    assert f(b"a", ("b", 1), key={2}) == [b"a", ("b", 1), {2}]


def test_raises():
    with pytest.raises(KeyError, match="gone"):
        f("gone")


def test_cursor():
    connection = sqlite3.connect(":memory:")
    cursor = connection.execute("CREATE TABLE t (a)")
    f(cursor)
    assert cursor.execute("SELECT a FROM t").fetchall() == [(7,)]


@timeout(0.5)
def test_time():
    f("sleep")


def test_object():
    f(object())


def test_expected():
    assert f("x") == EXPECTED
"""


def outcome(
    runner: ProgramRunner, program: str, test: str, seconds: float = 10.0
) -> RunObservation:
    names = [line[4:-3] for line in SUITE.splitlines() if line.startswith("def test_")]
    name = f"{test}#{names.index(test)}"
    order = Order(
        *("call", call_argv("python", FILE, ["f"]), ({"test": name},)),
        files={FILE: program.encode()},
        suite=CodeSuite("pytest", "suite_of_f", "program", {"suite_of_f.py": SUITE.encode()}),
        limits=RunLimitsSpec(seconds=seconds, cpu=30),
    )
    return runner.run(order)


def told(seen: RunObservation) -> Any:
    return seen.steps[0].value.get("passed"), seen.steps[0].value.get("why")


HONEST = """
import time

def f(first, *more, key=None):
    if first == "gone":
        raise KeyError("gone")
    if first == "sleep":
        time.sleep(5)
    if hasattr(first, "execute"):
        first.execute("INSERT INTO t VALUES (7)")
        return None
    return [first, *more, key]
"""


@pytest.mark.parametrize(
    ("test", "passed", "why"),
    [
        ("test_value", True, ""),
        ("test_raises", True, ""),
        ("test_cursor", True, ""),
        ("test_time", False, "TimeoutError: more than 0.5 s"),
        ("test_object", None, "NoArgument: a object cannot be given to a program"),
        ("test_expected", False, "AssertionError: assert ['x', None] == 'the-expected-value'"),
    ],
)
def test_what_a_test_comes_to(
    runner: ProgramRunner, test: str, passed: bool | None, why: str
) -> None:
    seen = outcome(runner, HONEST, test)
    assert seen.ended is ProcessEnded.OK and told(seen) == (passed, why)


LOOKS = """
import os

def places():
    for top in ("/tmp", "/srv", "/run", "/dev/shm"):
        for folder, _, names in os.walk(top):
            yield from (os.path.join(folder, name) for name in names)
    for pid in range(2, 100):
        if pid != os.getpid():
            yield from (f"/proc/{pid}/{name}" for name in ("environ", "cmdline", "maps", "fd/200"))

def f(first):
    for path in places():
        try:
            if path.endswith("/maps"):
                with open(path) as maps:
                    return f"{path} can be read: {maps.read(100)}"
            with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
                data = file.read(1 << 20)
        except OSError:
            continue
        if b"the-expec" b"ted-value" in data or path.endswith("fd/200"):
            return f"it is in {path}"
    return "nothing is seen"
"""
KILLS = """
import os, signal

def f(first):
    for pid in range(2, 400):  # it is not listed in /proc
        try:
            if pid != os.getpid():
                os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
    return "the-expected-value"
"""
SPEAKS = """
import json, os

for number in range(3, 256):
    try:
        os.write(number, json.dumps({"passed": True, "why": "", "cwes": []}).encode() + b"\\n")
    except OSError:
        pass

def f(first):
    return "x"
"""
DIES = "import os\n\ndef f(first):\n    os._exit(0)\n"
FLOODS = "def f(first):\n    return 'x' * (8 << 20)\n"


def test_a_program_cannot_look_into_the_suite(runner: ProgramRunner) -> None:
    passed, why = told(outcome(runner, LOOKS, "test_expected", 30))
    assert passed is False and "'nothing is seen'" in why


def test_a_suite_that_was_killed_passes_nothing(runner: ProgramRunner) -> None:
    passed, why = told(outcome(runner, KILLS, "test_expected"))
    assert passed is None and why == "the test ended without a verdict: the program ended: signal 9"


@pytest.mark.parametrize("program", [SPEAKS, DIES, FLOODS], ids=["speaks", "dies", "floods"])
def test_a_program_cannot_speak_for_the_suite(runner: ProgramRunner, program: str) -> None:
    seen = outcome(runner, program, "test_expected")
    assert not seen.steps or not (seen.steps[0].value or {}).get("passed")


APP = """
import http.server, os

WORDS = []
for path in ("/etc/passwd", "/run/arena/x", "/opt/arena/bin/x", "/usr/x", "/top.txt"):
    try:
        open(path, "w").close()
        WORDS.append(path)
    except OSError:
        pass
for path in ("/opt", "/run", "/etc"):
    try:
        os.rename(path, "/moved")
        WORDS.append(path)
    except OSError:
        pass
try:
    os.chmod("/run/arena/seen", 0o666)
    WORDS.append("chmod")
except OSError:
    pass

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(" ".join(WORDS).encode())

http.server.HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
"""


def test_in_an_open_root_what_is_ours_stays_closed(runner: ProgramRunner) -> None:
    order = Order(
        *("serve", (sys.executable, FILE), ({"path": "/"},)),
        files={FILE: APP.encode()},
        open_root=True,
    )
    assert runner.run(order).steps[0].body == "/top.txt"


def test_a_suite_that_cannot_be_loaded_is_no_programs_fault(runner: ProgramRunner) -> None:
    suite = CodeSuite("pytest", "m", "p", {"m.py": b"import no_such_package"})
    seen = runner.run(Order("call", ("true",), ({"list": True},), suite=suite))
    assert seen.ended is ProcessEnded.NO_START
    assert (
        seen.why == "the suite: ImportError: ModuleNotFoundError: No module named 'no_such_package'"
    )


@pytest.mark.parametrize(
    ("step", "shape"),
    [
        ({"test": "a"}, "run"),
        ({"call": "f"}, "call"),
        ({"test": 1}, "call"),
        ({"list": "all"}, "serve"),
    ],
)
def test_a_step_of_a_suite_is_one_of_its_tests(
    runner: ProgramRunner, step: dict[str, Any], shape: Any
) -> None:
    with pytest.raises(ValueError, match=r"steps\.0: .* suite"):
        runner.run(Order(shape, ("true",), (step,), suite=CodeSuite("pytest", "m")))
