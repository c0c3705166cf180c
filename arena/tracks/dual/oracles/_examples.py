"""Builders of small cases for examples of oracles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.tracks.dual.oracles._oracle import OracleCase, OracleExample, OracleVerdict
from arena.tracks.dual.runner.observation import (
    FileObservation,
    ProcessEnded,
    RunObservation,
    StepObservation,
)

PASS, FAIL, ERROR, NA = (
    OracleVerdict.PASS,
    OracleVerdict.FAIL,
    OracleVerdict.ERROR,
    OracleVerdict.NA,
)
TOKEN = "k7Qx92LmTz04VbRw8pYd"  # noqa: S105 - of an example
SECRETS = {"/srv/secret.txt": f"{TOKEN}\n"}


def call_step(value: Any = None, **fields: Any) -> StepObservation:
    """A call that returned `value`."""
    return StepObservation(ProcessEnded.OK, value=value, **fields)


def raising_step(name: str, text: str = "", *bases: str) -> StepObservation:
    """A call that raised."""
    return StepObservation(
        ProcessEnded.RAISED, raised=name, bases=bases or ("Exception",), text=text
    )


def ran(stdout: str = "", exit_: int = 0, stderr: str = "", **fields: Any) -> StepObservation:
    """A program that was started and exited."""
    return StepObservation(ProcessEnded.OK, exit=exit_, stdout=stdout, stderr=stderr, **fields)


def response_step(status: int, body: str = "", **headers: str) -> StepObservation:
    """A response; `set_cookie` stands for the header `set-cookie`."""
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return StepObservation(ProcessEnded.OK, status=status, body=body, headers=named)


def crash_step(ended: ProcessEnded = ProcessEnded.DIED) -> StepObservation:
    return StepObservation(ended)


def a_file(
    content: str = "", mode: int = 0o644, kind: str = "file", target: str = ""
) -> FileObservation:
    import hashlib

    raw = content.encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(raw).hexdigest() if kind == "file" else ""
    return FileObservation(kind, mode, len(raw), digest, content, target)


NEVER = RunObservation(ProcessEnded.NO_START, why="does not listen")


def make_observation(*steps: StepObservation, **fields: Any) -> RunObservation:
    """The observation of a run of these steps."""
    return RunObservation(**{"ended": ProcessEnded.OK, "steps": steps, **fields})


def example(
    title: str,
    verdict: OracleVerdict,
    observation: RunObservation | StepObservation,
    parameters: Mapping[str, Any] | None = None,
    **fields: Any,
) -> OracleExample:
    """An example from the observation of a run, or of its only step."""
    whole = (
        observation if isinstance(observation, RunObservation) else make_observation(observation)
    )
    return OracleExample(title, OracleCase(whole, parameters or {}, **fields), verdict)
