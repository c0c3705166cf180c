"""Shape "run": a program is started for each step."""

from __future__ import annotations

import base64
import os
import signal
import time
from typing import Any

from arena.tracks.dual.runner.inside import CannotStart, Inside
from arena.tracks.dual.runner.observation import ProcessEnded, StepObservation
from arena.tracks.dual.runner.output import ERR, OUT
from arena.tracks.dual.runner.paths import TIME_OVER


def steps(inside: Inside) -> tuple[StepObservation, ...]:
    """Carry out the steps of an order; after a step that a limit ended, the rest are not run."""
    results: list[StepObservation] = []
    for step in inside.order.steps:
        results.append(
            StepObservation(ProcessEnded.NOT_RUN) if inside.over else _run_step(inside, step)
        )
    return tuple(results)


def content(value: Any) -> bytes:
    """Text, or {"$bytes": base64}, as bytes. Raises ValueError."""
    if isinstance(value, dict):
        return base64.b64decode(value["$bytes"], validate=True)
    return str(value).encode("utf-8", "surrogatepass")


def decode_output(*parts: bytes) -> tuple[list[str], bool]:
    """The parts as text, and whether any of them is not UTF-8."""
    texts, binary = [], False
    for part in parts:
        texts.append(part.decode("utf-8", "replace"))
        # The character may have been written as such; only then is a second decoding needed.
        binary = binary or ("\ufffd" in texts[-1] and not _is_utf8(part))
    return texts, binary


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _run_step(inside: Inside, step: dict[str, Any]) -> StepObservation:
    inside.output.mark()
    argv = [*inside.order.argv, *(str(a) for a in step.get("args", ()))]
    reading, writing = os.pipe()
    began = time.monotonic()
    try:
        pid = inside.start(argv, dict(step.get("env", {})), [reading])
    except CannotStart as error:
        os.close(writing)
        return StepObservation(ProcessEnded.NO_START, text=str(error))
    inside.feed(writing, content(step.get("stdin", "")))
    if not inside.until(lambda: inside.has_exited(pid), began + inside.order.limits.seconds):
        over = (ProcessEnded.TIMEOUT, f"{inside.order.limits.seconds:g} {TIME_OVER}")
        inside.over = inside.over or over
    seconds = time.monotonic() - began
    # The exit may be reported before the last output is read.
    inside.loop.drain()
    (out, err), binary = decode_output(inside.output.since(OUT), inside.output.since(ERR))
    ended, code = ended_how(inside, pid)
    why = inside.over[1] if inside.over else ""
    return StepObservation(
        ended, exit=code, stdout=out, stderr=err, binary=binary, seconds=seconds, text=why
    )


def ended_how(inside: Inside, pid: int) -> tuple[ProcessEnded, int | None]:
    """How a program ended, with its exit status (negative: the signal)."""
    status = inside.exits.get(pid)
    code = None if status is None else os.waitstatus_to_exitcode(status)
    # The kernel's own limit of CPU time for one process may strike before the supervisor looks.
    if code == -signal.SIGXCPU:
        inside.over = inside.over or (ProcessEnded.TIMEOUT, "CPU time is used up")
    if inside.over:
        return inside.over[0], code
    return (ProcessEnded.DIED if code is not None and code < 0 else ProcessEnded.OK), code
