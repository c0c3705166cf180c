"""Shape "serve": a program is started once, and receives HTTP requests when it listens."""

from __future__ import annotations

import os
import re
import time
from typing import Any

from arena.tracks.dual.runner import listening
from arena.tracks.dual.runner.calling import exit_words
from arena.tracks.dual.runner.cookies import Jar
from arena.tracks.dual.runner.exchange import HttpExchange
from arena.tracks.dual.runner.inside import CannotStart, Inside
from arena.tracks.dual.runner.observation import ProcessEnded, StepObservation
from arena.tracks.dual.runner.output import ERR, OUT
from arena.tracks.dual.runner.paths import TIME_OVER
from arena.tracks.dual.runner.request import fill_saved, request, target
from arena.tracks.dual.runner.response import Garbage, Response, saved_value
from arena.tracks.dual.runner.running import decode_output

PORT = 8000
EVERY = 0.004
# A program that listens somewhere else than at PORT is given this long to listen there as well.
OTHER_PORT_GRACE = 0.3
GRACE, COVERAGE_GRACE = 0.25, 3.0
MAX_SAVED = 20_000
_TAKEN = re.compile(rb"EADDRINUSE|[Aa]ddress already in use")


def steps(inside: Inside) -> tuple[StepObservation, ...]:
    """Start the service and send the requests. If it does not listen, the order ends with NO_START."""
    service = open_service(inside)
    if service is None:
        return tuple(StepObservation(ProcessEnded.NOT_RUN) for _ in inside.order.steps)
    pid, address = service
    client = _Client(inside, pid, address)
    result = tuple(
        StepObservation(ProcessEnded.NOT_RUN) if inside.over else client.send_step(step)
        for step in inside.order.steps
    )
    inside.stop(pid, COVERAGE_GRACE if inside.order.coverage else GRACE)
    return result


def open_service(inside: Inside) -> tuple[int, tuple[str, int]] | None:
    """The process of the service, and where it listens; None where it does not: then the order is over."""
    empty = os.open(os.devnull, os.O_RDONLY)
    try:
        pid = inside.start(inside.order.argv, {"PORT": str(PORT), **inside.order.env}, [empty])
    except CannotStart as error:
        inside.over = (ProcessEnded.NO_START, f"died: {error}")
        return None
    address = _await_address(inside, pid)
    return None if address is None else (pid, address)


def _await_address(inside: Inside, pid: int) -> tuple[str, int] | None:
    """The address where the program listens; None (and the order is over) when it does not."""
    seconds = inside.order.limits.start
    deadline = time.monotonic() + seconds
    first_other = 0.0
    while not inside.over and time.monotonic() < deadline:
        addresses = listening.addresses(inside.proc)
        at_port = [a for a in addresses if a[1] == PORT]
        if at_port:
            return at_port[0]
        # A debugger or a metrics port may open first; only after a while it is taken for the service.
        first_other = first_other or (time.monotonic() if addresses else 0.0)
        if addresses and time.monotonic() - first_other > OTHER_PORT_GRACE:
            return addresses[0]
        # A program may start a daemon and end: what listens is then the service.
        if inside.has_exited(pid) and not addresses:
            inside.over = (ProcessEnded.NO_START, _why_not(inside, pid))
            return None
        inside.until(lambda: inside.has_exited(pid), min(deadline, time.monotonic() + EVERY))
    inside.over = inside.over or (ProcessEnded.NO_START, f"never-listens: {seconds:g} {TIME_OVER}")
    return None


def _why_not(inside: Inside, pid: int) -> str:
    """How a program ended that never listened: "port-taken" where it says so itself."""
    inside.loop.drain()
    taken = _TAKEN.search(inside.output.all(ERR) + inside.output.all(OUT))
    return f"{'port-taken' if taken else 'exited'}: {exit_words(inside.exits[pid])}"


class _Client:
    """Sends the steps in order, with the state that the answers set: cookies and saved values."""

    def __init__(self, inside: Inside, pid: int, address: tuple[str, int]) -> None:
        self._inside, self._pid, self._address = inside, pid, address
        self._jar = Jar()
        self._saved: dict[str, str] = {}

    def send_step(self, unfilled_step: dict[str, Any]) -> StepObservation:
        inside, step = self._inside, fill_saved(unfilled_step, self._saved)
        inside.output.mark()
        began = time.monotonic()
        response, ended, why = None, ProcessEnded.OK, ""
        try:
            response, ended, why = self._send_request(step, began + inside.order.limits.seconds)
        except (Garbage, OSError) as error:
            ended, why = ProcessEnded.DIED, self._describe_failure(error)
        seconds = time.monotonic() - began
        inside.loop.drain()
        (out, err), _ = decode_output(inside.output.since(OUT), inside.output.since(ERR))
        if inside.over:
            ended, why = inside.over
        # A connection that breaks while the program lives on is this request's failure only.
        elif ended is ProcessEnded.DIED and inside.has_exited(self._pid):
            inside.over = (ended, why)
        fields = {"stdout": out, "stderr": err, "seconds": seconds, "text": why}
        return StepObservation(ended, **fields, **self._response_fields(step, response))  # type: ignore[arg-type]

    def _send_request(
        self, step: dict[str, Any], deadline: float
    ) -> tuple[Response | None, ProcessEnded, str]:
        inside = self._inside
        cookies = self._jar.header(target(step))
        request_bytes = request(step, f"localhost:{self._address[1]}", cookies)
        with HttpExchange(
            inside.loop, self._address, request_bytes, inside.order.limits.output
        ) as exchange:
            if not inside.until(lambda: exchange.finished, deadline):
                over = (ProcessEnded.TIMEOUT, f"{inside.order.limits.seconds:g} {TIME_OVER}")
                inside.over = inside.over or over
                return None, *inside.over
            response = exchange.result()
        if exchange.too_long:
            return (
                response,
                ProcessEnded.OUTPUT,
                f"a body of more than {inside.order.limits.output} bytes",
            )
        return response, ProcessEnded.OK, ""

    def _describe_failure(self, error: Exception) -> str:
        inside = self._inside
        # The connection closes a moment before the process is reaped.
        inside.until(lambda: inside.has_exited(self._pid), time.monotonic() + 0.05)
        if inside.has_exited(self._pid):
            return f"the program ended: {exit_words(inside.exits[self._pid])}"
        return f"{error}"[:300]

    def _response_fields(self, step: dict[str, Any], response: Response | None) -> dict[str, Any]:
        """The fields of a step that describe a response; saves what the next steps need of it."""
        if response is None:
            return {}
        self._jar.take(response.headers)
        for name, wanted in dict(step.get("save") or {}).items():
            value = saved_value(response, str(wanted))
            if value is not None:
                self._saved[str(name)] = value[:MAX_SAVED]
        (body,), binary = decode_output(response.body)
        return {
            "status": response.status,
            "headers": response.headers,
            "body": body,
            "binary": binary,
        }
