"""Shape "call": a driver is started once and receives, over two pipes, calls to functions of a program."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

from arena.tracks.dual.runner.inside import CannotStart, Inside
from arena.tracks.dual.runner.loop import READ, WRITE
from arena.tracks.dual.runner.observation import ProcessEnded, StepObservation
from arena.tracks.dual.runner.output import ERR, OUT
from arena.tracks.dual.runner.paths import TIME_OVER
from arena.tracks.dual.runner.running import decode_output, ended_how

# Answers are written by the program: deep JSON would overflow the stack of whoever walks it later.
MAX_DEPTH = 200
MAX_TEXT = 20_000
MAX_BASES = 50
FAILURES = ("syntax-error", "missing-dependency", "import-error", "no-entry-point", "died")
# With coverage the program writes what ran as it ends; without it nothing is waited for.
GRACE, COVERAGE_GRACE = 0.2, 3.0
_CHUNK = 1 << 16
_IN, _OUT = 3, 4


class BrokenCall(Exception):
    """The driver's answer is none."""


def steps(inside: Inside) -> tuple[StepObservation, ...]:
    """Start the driver and make the calls. A driver that does not come up ends the order with NO_START."""
    order = inside.order
    channel = open_channel(inside)
    if channel is None:
        return tuple(StepObservation(ProcessEnded.NOT_RUN) for _ in order.steps)
    result = tuple(
        StepObservation(ProcessEnded.NOT_RUN) if inside.over else _call_program(inside, channel, s)
        for s in order.steps
    )
    if not inside.over:
        channel.close()
        grace = COVERAGE_GRACE if order.coverage else GRACE
        inside.until(lambda: inside.has_exited(channel.pid), time.monotonic() + grace)
    return result


def open_channel(inside: Inside) -> Channel | None:
    """The channel to a driver that has loaded the program. Without a channel (None), or if loading failed,
    the order is over."""
    try:
        channel = Channel(inside, inside.order.argv)
    except CannotStart as error:
        inside.over = (ProcessEnded.NO_START, f"died: {error}")
        return None
    _await_ready(inside, channel)
    return channel


def _await_ready(inside: Inside, channel: Channel) -> None:
    seconds = inside.order.limits.start
    try:
        text = channel.answer(time.monotonic() + seconds)
        failed = text.get("failed")
        if isinstance(failed, dict):
            inside.over = (ProcessEnded.NO_START, _failure(failed))
        elif text.get("ready") is not True:
            raise BrokenCall("the first answer is neither ready nor failed")
    except BrokenCall as broken:
        inside.over = inside.over or (ProcessEnded.NO_START, f"died: {broken}")
    except TimeoutError:
        inside.over = inside.over or (ProcessEnded.TIMEOUT, f"not ready: {seconds:g} {TIME_OVER}")


def _failure(failed: Mapping[str, Any]) -> str:
    """ "kind: name: type: text", without what is empty."""
    kind = failed.get("kind") if failed.get("kind") in FAILURES else "died"
    parts = [str(failed.get(name) or "")[:MAX_TEXT] for name in ("name", "type", "text")]
    return ": ".join([str(kind), *(p for p in parts if p)])


def _call_program(inside: Inside, channel: Channel, step: dict[str, Any]) -> StepObservation:
    inside.output.mark()
    began = time.monotonic()
    seconds = inside.order.limits.seconds
    fields: dict[str, Any] = {}
    request = {"call": step["call"], "args": step.get("args", []), "kwargs": step.get("kwargs", {})}
    try:
        channel.ask(request)
        fields = _answer(channel.answer(began + seconds))
    except BrokenCall as broken:
        inside.over = inside.over or (ProcessEnded.DIED, str(broken))
    except TimeoutError:
        inside.over = inside.over or (ProcessEnded.TIMEOUT, f"{seconds:g} {TIME_OVER}")
    taken = time.monotonic() - began
    inside.loop.drain()
    (out, err), binary = decode_output(inside.output.since(OUT), inside.output.since(ERR))
    if inside.over:
        ended, code = ended_how(inside, channel.pid)
        fields = {"ended": ended, "exit": code, "text": inside.over[1]}
    return StepObservation(stdout=out, stderr=err, binary=binary, seconds=taken, **fields)


def _answer(answer: dict[str, Any]) -> dict[str, Any]:
    """The fields of a step for an answer. Raises BrokenCall."""
    if "value" in answer:
        return {"ended": ProcessEnded.OK, "value": answer["value"]}
    if not isinstance(answer.get("raised"), str):
        raise BrokenCall("an answer has neither a value nor what was raised")
    bases = answer.get("bases")
    return {
        "ended": ProcessEnded.RAISED,
        "raised": answer["raised"][:MAX_TEXT],
        "bases": tuple(str(b)[:200] for b in bases[:MAX_BASES]) if isinstance(bases, list) else (),
        "text": str(answer.get("text", ""))[:MAX_TEXT],
    }


class Channel:
    """The two pipes to a driver, with JSON lines both ways. hooked, private_folder: see `Inside.start`."""

    def __init__(
        self, inside: Inside, argv: Sequence[str], hooked: bool = True, private_folder: str = ""
    ) -> None:
        self._inside = inside
        self._data, self._ended = bytearray(), False
        asks, answers, empty = os.pipe(), os.pipe(), os.open(os.devnull, os.O_RDONLY)
        self._asking, self._answering = asks[1], answers[0]
        env = {"ARENA_CHANNEL": f"{_IN},{_OUT}"}
        try:
            self.pid = inside.start(argv, env, [empty, asks[0], answers[1]], hooked, private_folder)
        # Our ends of the pipes stay open where no process was started; the fault is raised again.
        except Exception:
            os.close(self._asking)
            os.close(self._answering)
            raise
        # A program that does not read must not block the supervisor, which has limits of time to keep.
        os.set_blocking(self._asking, False)
        os.set_blocking(self._answering, False)
        inside.loop.watch(self._answering, READ, self._read)
        self._asked = memoryview(b"")

    def ask(self, what: dict[str, Any]) -> None:
        self._asked = memoryview(json.dumps(what).encode() + b"\n")
        self._inside.loop.watch(self._asking, WRITE, self._write)

    @property
    def has_answer(self) -> bool:
        """Whether there is an answer, or will be none."""
        return b"\n" in self._data or self._ended

    def answer(self, deadline: float) -> dict[str, Any]:
        """The next line. Raises BrokenCall, or TimeoutError when the time (or another limit) is over."""
        if not self._inside.until(lambda: self.has_answer, deadline):
            raise TimeoutError
        line, end, rest = self._data.partition(b"\n")
        if not end:
            self._inside.until(lambda: self._inside.has_exited(self.pid), time.monotonic() + GRACE)
            raise BrokenCall(self._last_words())
        self._data = rest
        return _parse_answer(bytes(line))

    def close(self) -> None:
        self._inside.loop.drop(self._asking)
        os.close(self._asking)

    def _last_words(self) -> str:
        status = self._inside.exits.get(self.pid)
        if status is None:
            return "the program closed the channel"
        return f"the program ended: {exit_words(status)}"

    def _write(self) -> None:
        try:
            self._asked = self._asked[os.write(self._asking, self._asked[:_CHUNK]) :]
        except BlockingIOError:
            return
        # The program has ended, which the reading side reports with its exit status.
        except BrokenPipeError:
            self._asked = memoryview(b"")
        if not self._asked:
            self._inside.loop.drop(self._asking)

    def _read(self) -> None:
        try:
            data = os.read(self._answering, _CHUNK)
        except BlockingIOError:
            return
        self._data += data
        self._ended = self._ended or not data
        if not data:
            self._inside.loop.drop(self._answering)
        limit = self._inside.order.limits.output
        # An answer without a line's end would fill the supervisor's memory.
        if len(self._data) > limit:
            over = (ProcessEnded.OUTPUT, f"an answer of more than {limit} bytes")
            self._inside.over = self._inside.over or over


def _parse_answer(line: bytes) -> dict[str, Any]:
    try:
        result = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BrokenCall(f"an answer is no JSON: {type(error).__name__}") from error
    if not isinstance(result, dict) or _too_deep(result):
        raise BrokenCall("an answer is no object, or too deep")
    return result


def _too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                below += item.values()
            elif isinstance(item, list):
                below += item
        if not below:
            return False
        level = below
    return True


def exit_words(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    return f"exit status {code}" if code >= 0 else f"signal {-code}"
