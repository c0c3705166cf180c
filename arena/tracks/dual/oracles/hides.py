"""A text that must not be output, stored, logged or sent as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from arena.tracks.dual.oracles._changes import database_files, list_changes, new_rows
from arena.tracks.dual.oracles._examples import (
    ERROR,
    FAIL,
    NEVER,
    PASS,
    a_file,
    call_step,
    example,
    make_observation,
    ran,
    response_step,
)
from arena.tracks.dual.oracles._oracle import Oracle, OracleCase, Parameter
from arena.tracks.dual.oracles._parameters import texts
from arena.tracks.dual.oracles._texts import outputs
from arena.tracks.dual.oracles._verdicts import JudgedPart, absence
from arena.tracks.dual.runner.observation import ObservedConnection, RunObservation

AROUND = 100


def _output(observation: RunObservation) -> Iterator[tuple[str, str]]:
    for number, step in enumerate(observation.steps):
        for name, text in outputs(step).items():
            yield f"{name} of step {number}", text
        yield f"headers of step {number}", "\n".join(f"{n}: {v}" for n, v in step.headers)
    yield "standard output", observation.stdout
    yield "standard error", observation.stderr


def _files(observation: RunObservation) -> Iterator[tuple[str, str]]:
    databases = database_files(
        observation
    )  # whose rows are looked at: pages hold what was there before
    for path, before, after in list_changes(observation):
        # A file whose mode alone changed holds nothing new.
        as_it_was = before and after and before.sha256 == after.sha256
        if after and not as_it_was and path not in databases:
            yield f"file {path}", f"{path}\n{after.target}\n{after.content}"


def _connections(observation: RunObservation) -> Iterator[tuple[str, str]]:
    for connection in observation.connections:
        yield (
            f"{connection.kind} connection to {connection.host}",
            f"{connection.host}\n{connection.data}",
        )


def _databases(observation: RunObservation) -> Iterator[tuple[str, str]]:
    for table, text in new_rows(observation):
        yield f"table {table}", text


_WHERE: dict[str, Callable[[RunObservation], Iterator[tuple[str, str]]]] = {
    "output": _output,
    "files": _files,
    "databases": _databases,
    "connections": _connections,
}


@absence
def _judge(case: OracleCase) -> JudgedPart | None:
    for where in case.parameters.get("where", tuple(_WHERE)):
        for name, channel in _WHERE[where](case.observation):
            for text in case.parameters["texts"]:
                at = channel.find(text)
                if at >= 0:
                    around = channel[max(0, at - AROUND) : at] + "<hidden>"
                    return JudgedPart(around, f"what must be hidden is in {name}")
    return None


def _wrong_where(value: Any) -> str:
    return (
        ""
        if value and set(map(str, value)) <= set(_WHERE)
        else f"some of {', '.join(_WHERE)} are expected"
    )


_TEXT = {"texts": ["hunter22!"]}

PLUGIN = Oracle(
    name="hides",
    title="a text appears nowhere unencoded",
    kind="security",
    judge=_judge,
    parameters={
        "texts": texts("none of these may be found", needed=True),
        "where": Parameter(
            f"some of {', '.join(_WHERE)} (changes only); default: all",
            (list,),
            check=_wrong_where,
        ),
    },
    examples=(
        example("nowhere", PASS, call_step("ok"), _TEXT),
        example("in a log", FAIL, ran("", 0, "login bob hunter22!"), _TEXT),
        example(
            "in a log, which is not checked",
            PASS,
            ran("", 0, "hunter22!"),
            {**_TEXT, "where": ["files"]},
        ),
        example("in a header", FAIL, response_step(200, set_cookie="p=hunter22!"), _TEXT),
        example(
            "in a new file",
            FAIL,
            make_observation(call_step(), after={"/srv/app/u": a_file("hunter22!")}),
            _TEXT,
        ),
        example(
            "in an existing file",
            PASS,
            make_observation(
                call_step(),
                before={"/srv/app/u": a_file("hunter22!")},
                after={"/srv/app/u": a_file("hunter22!")},
            ),
            _TEXT,
        ),
        example(
            "in a row",
            FAIL,
            make_observation(call_step(), databases_after={"a.db": {"u": (("bob", "hunter22!"),)}}),
            _TEXT,
        ),
        example(
            "sent",
            FAIL,
            make_observation(
                call_step(), connections=(ObservedConnection("http", "x", 80, "p=hunter22!"),)
            ),
            _TEXT,
        ),
        example("never started", ERROR, NEVER, _TEXT),
    ),
    weaknesses=("a text that is encoded, such as in base64",),
)
