"""The observation of a test, as text for a prompt: all evidence, nothing that differs by chance."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from arena.tracks.dual.runner.observation import (
    ObservedConnection,
    ProcessEnded,
    RunObservation,
    StepObservation,
)

MAX_PART = 2_000
MAX_PARTS = 40
_TOKEN = re.compile(r"[0-9a-f]{24,}")


def render(observation: RunObservation) -> str:
    """Lines about each step and each effect; times and sizes are left out.

    Tokens of the secrets, which are others in each run, are named by the file that they stand in.
    """
    lines = [
        f"the program as a whole: {observation.ended}{f' ({observation.why})' if observation.why else ''}"
    ]
    for number, step in enumerate(observation.steps[:MAX_PARTS]):
        lines += [f"step {number}: {step.ended}", *(f"  {line}" for line in _step(step))]
    lines += [f"canary command was run: {_cut(argv)}" for argv in observation.canaries[:MAX_PARTS]]
    lines += [
        f"connection: {_connection(connection)}"
        for connection in observation.connections[:MAX_PARTS]
    ]
    calls = dict.fromkeys(f"call: {call.kind}: {_cut(call.what)}" for call in observation.calls)
    lines += [*list(calls)[:MAX_PARTS], *list(_changes(observation))[:MAX_PARTS]]
    return _mask_tokens("\n".join(lines), observation)


_FIELDS: tuple[tuple[str, Callable[[StepObservation], Any]], ...] = (
    ("raised", lambda s: s.raised),
    ("message", lambda s: s.text),
    ("exit status", lambda s: "" if s.exit is None else s.exit),
    ("HTTP status", lambda s: "" if s.status is None else s.status),
    ("headers", lambda s: dict(s.headers) or ""),
    ("body", lambda s: s.body),
    ("stdout", lambda s: s.stdout),
    ("stderr", lambda s: s.stderr),
)


def _step(step: StepObservation) -> Iterator[str]:
    if step.ended is ProcessEnded.OK and step.exit is None and step.status is None:
        yield f"returned: {_cut(step.value)}"
    for name, field in _FIELDS:
        value = field(step)
        if value != "":
            yield f"{name}: {_cut(value)}"


def _connection(connection: ObservedConnection) -> str:
    return f"{connection.kind} to {connection.host} port {connection.port}: {_cut(connection.data)}"


def _changes(observation: RunObservation) -> Iterator[str]:
    for path in sorted({*observation.before, *observation.after}):
        old, new = observation.before.get(path), observation.after.get(path)
        if old is None and new is not None:
            yield f"made: {_cut(path)} ({new.kind}, mode {new.mode:o}): {_cut(new.content)}"
        elif new is None:
            yield f"removed: {_cut(path)}"
        elif old is not None and (old.kind, old.mode, old.sha256) != (
            new.kind, new.mode, new.sha256,
        ):  # fmt: skip
            yield f"changed: {_cut(path)} (mode {old.mode:o} to {new.mode:o}): {_cut(new.content)}"
    for path in sorted({*observation.databases_before, *observation.databases_after}):
        old_rows, new_rows = (
            observation.databases_before.get(path),
            observation.databases_after.get(path),
        )
        if old_rows != new_rows:
            yield f"rows of {_cut(path)} after: {_cut(dict(new_rows or {}))}"


def _cut(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= MAX_PART else f"{text[:MAX_PART]} [cut]"


def _mask_tokens(text: str, observation: RunObservation) -> str:
    for path, content in sorted(observation.secrets.items()):
        for token in _TOKEN.findall(content)[:20]:
            text = text.replace(token, f"<token of {path}>")
    return text
