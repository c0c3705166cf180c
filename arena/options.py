"""Options that several commands share: each is declared here, once, and means the same everywhere."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

# As in a sweep file: with a larger number the attempts alone would fill the memory before the first word.
MAX_REPLICATES = 1_000_000

Json = Annotated[bool, typer.Option("--json", "-j", help="Print machine-readable JSON.")]
Pack = Annotated[
    str, typer.Option("--pack", "-p", help="A pack: its folder, or the name of a built-in one.")
]
Sandbox = Annotated[
    str, typer.Option("--sandbox", envvar="ARENA_SANDBOX", help="docker, local or auto.")
]
StoreAt = Annotated[
    str,
    typer.Option(
        "--store", "-s", help="The store: a folder or URL; default: $ARENA_STORE, else .arena."
    ),
]
Workers = Annotated[
    int, typer.Option("--workers", "-w", min=0, help="Concurrent attempts; 0: one per CPU.")
]
EngineName = Annotated[str, typer.Option("--engine", help="local or ray.")]
Address = Annotated[str, typer.Option("--address", help="The address of the Ray cluster.")]
MixVersions = Annotated[
    bool,
    typer.Option(
        "--mix-versions",
        help="Take labels together that other versions of grader, task or rules gave; they do not compare.",
    ),
]
Scanner = Annotated[
    str,
    typer.Option(
        "--sast", help="builtin, a rules folder, p/..., or tool:COMMAND; default: the task's."
    ),
]
Agents = Annotated[
    list[str] | None,
    typer.Option(
        "--agent",
        "-a",
        help="An agent; default: `direct`, the model itself (repeatable).",
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        "-m",
        help="PROVIDER/NAME, script:FILE or replay:RUN; NAME=MODEL: its name in tables (repeatable).",
    ),
]
Prompts = Annotated[
    list[str] | None,
    typer.Option(
        "--prompt",
        help="A prompt of the track, such as neutral or reminder, or a file (repeatable).",
    ),
]
Tasks = Annotated[
    list[str] | None, typer.Option("--task", "-t", help="Only this task (repeatable).")
]
Replicates = Annotated[
    int,
    typer.Option(
        "--replicates",
        "-n",
        min=1,
        max=MAX_REPLICATES,
        help="Attempts per task, agent, model and prompt.",
    ),
]
Run = Annotated[str, typer.Argument(metavar="RUN", help="A run's id, a sweep's name, or latest.")]
Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        help="FIELD=VALUE: filter by agent, model, prompt, language, project, cwe, domain, label "
        "or health (repeatable; values of one field are alternatives).",
    ),
]
OneModel = Annotated[str, typer.Option("--model", "-m", help="PROVIDER/NAME or script:FILE.")]
Repositories = Annotated[
    Path | None,
    typer.Option(
        "--repositories", help="A folder with clones of repositories that are given as URLs."
    ),
]
_CASES = "The case store; default: the last one imported into, else ./cases."
Cases = Annotated[Path | None, typer.Option("--store", envvar="ARENA_CASES", help=_CASES)]
CasesOut = Annotated[
    Path | None, typer.Option("--store", "--out", envvar="ARENA_CASES", help=_CASES)
]
Projects = Annotated[
    list[str] | None,
    typer.Option("--project", help="Only cases of this project (repeatable)."),
]
Lacking = Annotated[
    list[str] | None,
    typer.Option(
        "--lacking", help="Only cases that lack this, such as clone, poc, build (repeatable)."
    ),
]
OssFuzz = Annotated[
    Path | None,
    typer.Option("--oss-fuzz", help="A clone of OSS-Fuzz: its recipes build the cases."),
]
Mirrors = Annotated[
    Path | None,
    typer.Option("--mirrors", help="A folder of clones, of projects and of what they need."),
]
Builds = Annotated[int, typer.Option("--builds", min=1, help="Maximum number of builds per case.")]
Resume = Annotated[str, typer.Option("--resume", help="Resume a run: its id, or latest.")]
MaxUsd = Annotated[float, typer.Option("--max-usd", min=0, help="Cap per attempt, in US dollars.")]
MaxCalls = Annotated[
    int, typer.Option("--max-calls", min=0, help="Cap per attempt, in model calls.")
]
MaxSeconds = Annotated[
    float,
    typer.Option(
        "--max-seconds", min=1, help="Cap per attempt, in seconds of the agent's wall time."
    ),
]
ApiBase = Annotated[str, typer.Option("--api-base", help="The URL of your own model endpoint.")]
Prices = Annotated[
    Path | None, typer.Option("--prices", help="A TOML file with your own prices and rate limits.")
]
UnknownPrice = Annotated[
    bool,
    typer.Option(
        "--allow-unknown-price",
        help="Take models without a price; charged is only what the provider says it billed.",
    ),
]
Pins = Annotated[
    list[str] | None,
    typer.Option(
        "--pin",
        help="NAME=VALUE: a parameter of all calls: temperature=0, reasoning_effort=high; null: not sent.",
    ),
]
Probe = Annotated[
    bool,
    typer.Option(
        "--probe/--no-probe",
        help="Ask each model one tiny call first; leave out those that refuse.",
    ),
]
Alias = Annotated[
    bool,
    typer.Option(
        "--alias", help="Tell no agent the model's name, though it behave otherwise by it."
    ),
]
ProbePlan = Annotated[
    bool, typer.Option("--probe", help="Ask each model one tiny call; print what is refused.")
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", help="NAME=VALUE: an option of the track (repeatable)."),
]
Trust = Annotated[
    bool,
    typer.Option("--trust-agents", help="Allow agents that run model output in a weak sandbox."),
]


def pins(words: Iterable[str]) -> dict[str, Any]:
    """Parameters from `NAME=VALUE`; VALUE is JSON or a word, `null` takes one away. Raises ValueError."""
    from harness.gateway.pins import PARAMETERS, check_pin

    pinned: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if name not in PARAMETERS or not equals:
            names = ", ".join(PARAMETERS)
            raise ValueError(f"--pin: {word!r} is not NAME=VALUE with NAME among {names}")
        pinned[name] = _value(value)
        try:
            check_pin(name, pinned[name])
        except ValueError as error:
            raise ValueError(f"--pin: {error}") from error
    return pinned


def settings(words: Iterable[str]) -> dict[str, Any]:
    """Options of a track from `NAME=VALUE`; VALUE is JSON, or else a text. Raises ValueError."""
    values: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not name or not equals:
            raise ValueError(f"--set: {word!r} is not NAME=VALUE")
        values[name] = _value(value)
    return values


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
