"""A suite that is code: it runs beside the program, in a process that the program cannot look into.

The suite is started and loaded first, from the data on its channel, and nothing of it is left in a file
when the program starts. A test of functions asks for calls, which the driver of the shape "call" makes; a
test of a service sends its requests itself.
"""

from __future__ import annotations

import base64
import secrets
import sys
import time
from collections.abc import Mapping
from typing import Any

from arena.tracks.dual.runner import calling, paths, serving
from arena.tracks.dual.runner.calling import BrokenCall, Channel
from arena.tracks.dual.runner.inside import Inside
from arena.tracks.dual.runner.observation import ProcessEnded, StepObservation
from arena.tracks.dual.runner.order import CodeSuite
from arena.tracks.dual.runner.output import ERR, OUT
from arena.tracks.dual.runner.paths import TIME_OVER
from arena.tracks.dual.runner.running import decode_output

# What `why` begins with where the suite itself is at fault, before any program is started.
SUITE = "the suite: "
NO_WORD = "the test ended without a verdict"
MAX_CALLS = 10_000
# What a test receives of the program's answer.
ANSWER = ("value", "raised", "bases", "text")
MAX_CWES, MAX_WHY = 50, 2_000


def steps(inside: Inside, suite: CodeSuite) -> tuple[StepObservation, ...]:
    """Load the suite, start the program, and run the tests. A suite that cannot be loaded ends the order."""
    bench = _Bench(inside, suite)
    results = []
    for step in inside.order.steps:
        bench.prepare(step)
        results.append(StepObservation(ProcessEnded.NOT_RUN) if inside.over else bench.step(step))
    return tuple(results)


class _Bench:
    """The suite's process and the program's."""

    def __init__(self, inside: Inside, suite: CodeSuite) -> None:
        self._inside = inside
        # Isolated: neither PYTHONPATH nor the program's folder can put a module before the suite's.
        argv = (sys.executable, "-I", f"{paths.DRIVERS}/suite.py", suite.form)
        self._suite = Channel(inside, argv, hooked=False, private_folder=paths.SUITE)
        self._program: Channel | None = None
        self._place: dict[str, Any] = {}
        self._left = False
        files = {path: base64.b64encode(content).decode() for path, content in suite.files.items()}
        keep = any("list" in step for step in inside.order.steps)
        # Drawn for each suite: a line on the channel without it does not come from the suite's driver.
        self._key = secrets.token_hex()
        settings = {
            "module": suite.module,
            "program": suite.program,
            "keep": keep,
            "key": self._key,
        }
        self._suite.ask({"files": files, **settings})
        try:
            message = self._next_message(time.monotonic() + inside.order.limits.start)
        except (BrokenCall, TimeoutError) as error:
            inside.over = inside.over or (
                ProcessEnded.NO_START,
                f"{SUITE}{str(error) or 'never ready'}",
            )
        else:
            if message.get("ready") is not True:
                why = str(message.get("failed"))[:MAX_WHY]
                inside.over = (ProcessEnded.NO_START, f"{SUITE}{why}")

    def prepare(self, step: Mapping[str, Any]) -> None:
        """Start the program for the first test that there is."""
        inside = self._inside
        if inside.over or self._place or "test" not in step:
            return
        self._place = {"argv": list(inside.order.argv), "folder": inside.order.folder}
        if inside.order.shape == "call":
            self._program = calling.open_channel(inside)
        elif service := serving.open_service(inside):
            pid, (host, port) = service
            self._place |= {"pid": pid, "host": host, "port": port}

    def step(self, step: dict[str, Any]) -> StepObservation:
        inside = self._inside
        inside.output.mark()
        began = time.monotonic()
        deadline = began + inside.order.limits.seconds
        value: dict[str, Any] = {}
        try:
            self._suite.ask({**step, **self._place})
            value = self._verdict(deadline)
        except BrokenCall as broken:
            value = {"passed": None, "why": f"{NO_WORD}: {broken}", "cwes": []}
        except TimeoutError:
            seconds = f"{inside.order.limits.seconds:g} {TIME_OVER}"
            inside.over = inside.over or (ProcessEnded.TIMEOUT, seconds)
        taken = time.monotonic() - began
        inside.loop.drain()
        (out, err), _ = decode_output(inside.output.since(OUT), inside.output.since(ERR))
        ended, why = inside.over or (ProcessEnded.OK, "")
        return StepObservation(ended, value=value, text=why, stdout=out, stderr=err, seconds=taken)

    def _verdict(self, deadline: float) -> dict[str, Any]:
        """The result of a test; until then, carry out the calls that it requests."""
        for _ in range(MAX_CALLS):
            message = self._next_message(deadline)
            if "memory" in message:
                self._suite.ask({"memory": self._inside.gauge.taken})
                continue
            if "call" not in message:
                return _check_report(message)
            if (answer := self._forward_call(message, deadline)) is not None:
                self._suite.ask(answer)
        raise BrokenCall(f"more than {MAX_CALLS} calls")

    def _next_message(self, deadline: float) -> dict[str, Any]:
        """What the suite says. A line without its key is somebody else's. Raises BrokenCall, TimeoutError."""
        message = self._suite.answer(deadline)
        if message.pop("key", None) != self._key:
            raise BrokenCall("somebody else spoke for it")
        return message

    def _forward_call(self, message: dict[str, Any], deadline: float) -> dict[str, Any] | None:
        """The driver's answer; None where the test gives up waiting for it."""
        inside, program = self._inside, self._program
        if program is None:
            raise BrokenCall("a call of a program that is called by nobody")
        # The driver answers in order: the late answer would be taken for that of the next call.
        if self._left:
            raise BrokenCall("the program is still busy with a call that the test gave up")
        program.ask({name: message.get(name) for name in ("call", "args", "kwargs")})
        if not inside.until(lambda: program.has_answer or self._suite.has_answer, deadline):
            raise TimeoutError
        if not program.has_answer:
            self._left = True
            return None
        try:
            answer = program.answer(deadline)
            return {name: answer.get(name) for name in ANSWER if name in answer}
        except BrokenCall as broken:
            # The program ended, not the suite; the tests that follow have nothing to run against.
            inside.over = inside.over or (ProcessEnded.DIED, str(broken))
            raise


def _check_report(message: Mapping[str, Any]) -> dict[str, Any]:
    """A verdict, or a list of tests, of the types that were agreed. Raises BrokenCall."""
    if isinstance(message.get("tests"), list):
        return {"tests": message["tests"], "facts": _facts(message.get("facts"))}
    if "failed" in message:
        raise BrokenCall(str(message["failed"])[:MAX_WHY])
    passed, cwes = message.get("passed"), message.get("cwes")
    if passed not in (True, False, None) or "passed" not in message or not isinstance(cwes, list):
        raise BrokenCall("it told nonsense")
    why = str(message.get("why") or "")[:MAX_WHY]
    return {"passed": passed, "why": why, "cwes": [str(cwe)[:20] for cwe in cwes[:MAX_CWES]]}


def _facts(facts: Any) -> dict[str, Any]:
    """Those of the types that were agreed: texts, and lists of them."""
    agreed = facts if isinstance(facts, dict) else {}
    return {name: fact for name, fact in agreed.items() if isinstance(fact, str | list)}
