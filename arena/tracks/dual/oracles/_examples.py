"""Builders of small cases for examples of oracles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.tracks.dual.oracles._oracle import OracleCase, OracleExample, OracleVerdict
from arena.tracks.dual.runner.seen import FileSeen, ProcessEnded, Seen, StepSeen

PASS, FAIL, ERROR, NA = (
    OracleVerdict.PASS,
    OracleVerdict.FAIL,
    OracleVerdict.ERROR,
    OracleVerdict.NA,
)
TOKEN = "k7Qx92LmTz04VbRw8pYd"  # noqa: S105 - of an example
SECRETS = {"/srv/secret.txt": f"{TOKEN}\n"}


def call_step(value: Any = None, **fields: Any) -> StepSeen:
    """A call that returned `value`."""
    return StepSeen(ProcessEnded.OK, value=value, **fields)


def raising_step(name: str, text: str = "", *bases: str) -> StepSeen:
    """A call that raised."""
    return StepSeen(ProcessEnded.RAISED, raised=name, bases=bases or ("Exception",), text=text)


def ran(stdout: str = "", exit_: int = 0, stderr: str = "", **fields: Any) -> StepSeen:
    """A program that was started and exited."""
    return StepSeen(ProcessEnded.OK, exit=exit_, stdout=stdout, stderr=stderr, **fields)


def response_step(status: int, body: str = "", **headers: str) -> StepSeen:
    """A response; `set_cookie` stands for the header `set-cookie`."""
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return StepSeen(ProcessEnded.OK, status=status, body=body, headers=named)


def crash_step(ended: ProcessEnded = ProcessEnded.DIED) -> StepSeen:
    return StepSeen(ended)


def a_file(content: str = "", mode: int = 0o644, kind: str = "file", target: str = "") -> FileSeen:
    import hashlib

    raw = content.encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(raw).hexdigest() if kind == "file" else ""
    return FileSeen(kind, mode, len(raw), digest, content, target)


NEVER = Seen(ProcessEnded.NO_START, why="does not listen")


def make_seen(*steps: StepSeen, **fields: Any) -> Seen:
    """The observation of a run of these steps."""
    return Seen(**{"ended": ProcessEnded.OK, "steps": steps, **fields})


def example(
    title: str,
    verdict: OracleVerdict,
    observation: Seen | StepSeen,
    parameters: Mapping[str, Any] | None = None,
    **fields: Any,
) -> OracleExample:
    """An example from the observation of a run, or of its only step."""
    whole = observation if isinstance(observation, Seen) else make_seen(observation)
    return OracleExample(title, OracleCase(whole, parameters or {}, **fields), verdict)
