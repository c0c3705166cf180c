"""A test of a task, with a plan -> an order for the runner. Nothing of what is expected goes into it."""

from __future__ import annotations

import base64
import json
import secrets
import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from arena.tracks.dual.languages.plan import RunPlan
from arena.tracks.dual.runner.observation import ProcessEnded, RunObservation, StepObservation
from arena.tracks.dual.runner.order import (
    HOME,
    MIB,
    SECRET,
    CodeSuite,
    Copy,
    Order,
    RunLimitsSpec,
    RunReply,
)
from arena.tracks.dual.tasks.pack import DualTask
from arena.tracks.dual.tasks.schema import DatabaseSpec, ProgramLimits, TestSpec
from arena.tracks.dual.tasks.values import expand_repeats
from tasks.loader import TaskError

SEED = 4_711
KEY = "/srv/home/.ssh/id_rsa"
PASSWD = "/etc/passwd"  # noqa: S105 - a path
MAX_TOLD = 100


def order_of(
    task: DualTask, test: TestSpec, plan: RunPlan, *, twin: bool = False, coverage: bool = True
) -> Order:
    """The order for a test of a candidate, with all that the runner needs. Raises TaskError or ValueError for
    a step that cannot be converted.

    twin: the weak generators start from a fixed seed, so that two runs can be compared.
    """
    files, steps = _steps(task, test, plan)
    if not steps:
        raise ValueError("steps: there is none")
    extra = {_absolute_path(path): content_of(value) for path, value in test.files.items()}
    place = task.spec.place
    oracle = task.spec.oracle
    suite = None
    if oracle is not None:
        suite = CodeSuite(oracle.form, oracle.module, oracle.program, task.modules)
    databases = {
        f"{HOME}/{database.file}": _make_database(task, database)
        for database in place.databases
        if database.script
    }
    seed = SEED if twin else None
    return Order(
        shape=plan.shape,
        argv=plan.argv,
        steps=steps,
        copies=(Copy(str(task.fixtures), HOME),) if task.fixtures else (),
        binds=plan.binds,
        files={**databases, **extra, **files, **plan.files},
        links={_absolute_path(path): target for path, target in test.links.items()},
        env={**place.env, **plan.env},
        secrets={**_make_secrets(), **test.secrets},
        canaries=test.canaries,
        databases=tuple(database.file for database in place.databases),
        watched=place.watched,
        hooks=plan.hooks,
        replies=tuple(
            RunReply(r.host, r.path, r.status, tuple(r.headers.items()), r.body)
            for r in place.replies
        ),
        limits=limits_of(test.limits or task.spec.limits),
        seed=seed,
        suite=suite,
        open_root=suite is not None and plan.shape == "serve",
        coverage=coverage,
        covered=plan.covered if coverage else (),
    )


def limits_of(spec: ProgramLimits) -> RunLimitsSpec:
    return RunLimitsSpec(
        seconds=spec.seconds,
        start=spec.start,
        cpu=spec.cpu,
        memory=spec.memory * MIB,
        processes=spec.processes,
        disk=spec.disk * MIB,
    )


def allowed_of(task: DualTask) -> tuple[str, ...]:
    """Globs, absolute, of what the tests of a task may find changed."""
    io = task.spec.io
    outputs = (io.output,) if io.output else ()
    return tuple(
        glob if glob.startswith("/") else f"{HOME}/{glob}"
        for glob in (*outputs, *task.spec.place.allowed)
    )


def content_of(value: Any) -> bytes:
    """The bytes of a file as tests have them: text, or a tagged value."""
    value = expand_repeats(value)
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    if isinstance(value, dict) and set(value) == {"$bytes"}:
        return base64.b64decode(value["$bytes"])
    return json.dumps(value).encode()


def _absolute_path(path: str) -> str:
    return path if path.startswith("/") else f"{HOME}/{path}"


def _make_secrets() -> dict[str, str]:
    """Secrets that are present in every test, each with a unique token."""
    token = secrets.token_hex
    users = (
        f"root:x:0:0:{token(12)}:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n"
        "app:x:1000:1000:application:/srv/home:/bin/sh\n"
    )
    key = f"-----BEGIN PRIVATE KEY-----\n{token(24)}\n-----END PRIVATE KEY-----\n"
    return {SECRET: f"{token(12)}\n", PASSWD: users, KEY: key}


def _steps(
    task: DualTask, test: TestSpec, plan: RunPlan
) -> tuple[dict[str, bytes], tuple[dict[str, Any], ...]]:
    io = task.spec.io
    files: dict[str, bytes] = {}
    if io.shape == "file":
        files, steps = _converter_input(task, test)
    else:
        steps = tuple(expand_repeats(step) for step in test.steps)
    if io.shape == "function" and task.spec.oracle is None:
        name = io.functions[0].name
        steps = tuple({"args": [], "kwargs": {}, "call": name, **step} for step in steps)
    if plan.script:  # one run for all steps, so that a service keeps its state from step to step
        steps = ({"stdin": json.dumps({"steps": steps})},)
    return files, steps


def _converter_input(
    task: DualTask, test: TestSpec
) -> tuple[dict[str, bytes], tuple[dict[str, Any], ...]]:
    """The file and the only step of a converter's test: it runs once, over the file that the test brings."""
    io = task.spec.io
    if len(test.steps) != 1:
        raise TaskError(f"{task.folder / 'tests.json'}: {test.id}: steps: a converter has one step")
    step = test.steps[0]
    files = {f"{HOME}/{io.input}": content_of(step["content"])} if "content" in step else {}
    rest = {name: value for name, value in step.items() if name != "content"}
    return files, ({"args": [io.input, io.output], **rest},)


def unwrap_script(plan: RunPlan, observation: RunObservation) -> RunObservation:
    """The standard output of a fallback script, as the steps that it reports.

    The last line is a JSON list with an object for each step.
    """
    if not plan.script or not observation.steps:
        return observation
    return replace(observation, steps=_unwrap_steps(observation.steps[0]))


def _unwrap_steps(ran: StepObservation) -> tuple[StepObservation, ...]:
    if ran.ended is not ProcessEnded.OK:
        return (ran,)
    try:
        rows = json.loads(ran.stdout.strip().rpartition("\n")[2])
    except (ValueError, RecursionError):
        rows = None
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        return (
            replace(ran, ended=ProcessEnded.DIED, text="the script told nothing that can be read"),
        )
    return tuple(_with_response(ran, row) for row in rows[:MAX_TOLD])


def _with_response(step: StepObservation, row: Mapping[str, Any]) -> StepObservation:
    status, headers = row.get("status"), row.get("headers")
    return replace(
        step,
        ended=ProcessEnded.RAISED if row.get("raised") else ProcessEnded.OK,
        value=row.get("value"),
        raised=str(row.get("raised") or ""),
        text=str(row.get("text") or ""),
        status=status if isinstance(status, int) else None,
        headers=tuple((str(k).lower(), str(v)) for k, v in headers.items())
        if isinstance(headers, Mapping)
        else (),
        body=str(row.get("body") or ""),
        stdout=str(row.get("stdout") or ""),
        stderr=str(row.get("stderr") or step.stderr),
        exit=row["exit"] if isinstance(row.get("exit"), int) else step.exit,
    )


def _make_database(task: DualTask, database: DatabaseSpec) -> bytes:
    path = task.folder / "fixtures" / str(database.script)
    try:
        return _database(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, sqlite3.Error) as error:
        raise TaskError(f"{path}: {error}") from error


@lru_cache(maxsize=256)
def _database(script: str) -> bytes:
    """The content of a SQLite file created by a script, which may access no further file."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.set_authorizer(_no_other_file)
        connection.executescript(script)
        connection.commit()
        connection.set_authorizer(None)  # serializing asks a pragma for the number of pages
        return connection.serialize()
    finally:
        connection.close()


def _no_other_file(action: int, *_: Any) -> int:
    refused = {sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH, sqlite3.SQLITE_PRAGMA}
    return sqlite3.SQLITE_DENY if action in refused else sqlite3.SQLITE_OK
