"""Options that several commands share: each is declared here, once, and means the same everywhere."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

Json = Annotated[bool, typer.Option("--json", "-j", help="Print JSON for machines.")]
Pack = Annotated[
    str, typer.Option("--pack", "-p", help="A pack's folder, or the name of one that ships.")
]
Sandbox = Annotated[
    str, typer.Option("--sandbox", envvar="ARENA_SANDBOX", help="docker, local, or auto.")
]
StoreAt = Annotated[
    str,
    typer.Option(
        "--store", "-s", help="A store's folder or URL; default: $ARENA_STORE, else .arena."
    ),
]
Workers = Annotated[
    int, typer.Option("--workers", "-w", min=0, help="Attempts at a time; 0: one a CPU.")
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
        help="An agent's name; default: `direct`, the model itself (may be repeated).",
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        "-m",
        help="PROVIDER/NAME, script:FILE, or replay:RUN; for agents that ask one (may be repeated).",
    ),
]
Prompts = Annotated[
    list[str] | None,
    typer.Option(
        "--prompt", help="A prompt of the track, such as neutral, reminder, or a file (repeatable)."
    ),
]
Tasks = Annotated[
    list[str] | None, typer.Option("--task", "-t", help="Only these tasks (may be repeated).")
]
Replicates = Annotated[
    int, typer.Option("--replicates", "-n", min=1, help="Attempts of each kind.")
]
Run = Annotated[
    str, typer.Argument(metavar="RUN", help="A run's id, the name of a sweep, or latest.")
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        help="FIELD=VALUE: only such attempts, by agent, model, prompt, language, project, cwe, domain, "
        "label or health (may be repeated; one of the values of each field).",
    ),
]
OneModel = Annotated[str, typer.Option("--model", "-m", help="PROVIDER/NAME or script:FILE.")]
Repositories = Annotated[
    Path | None,
    typer.Option("--repositories", help="A folder of clones for repositories that are URLs."),
]
_CASES = "The case store; default: the one last imported to from here, else ./cases."
Cases = Annotated[Path | None, typer.Option("--store", envvar="ARENA_CASES", help=_CASES)]
CasesOut = Annotated[
    Path | None, typer.Option("--store", "--out", envvar="ARENA_CASES", help=_CASES)
]
Builds = Annotated[int, typer.Option("--builds", min=1, help="Most builds for each case.")]
Resume = Annotated[str, typer.Option("--resume", help="Go on with a run: its id, or latest.")]
MaxUsd = Annotated[float, typer.Option("--max-usd", min=0, help="US dollars for each attempt.")]
MaxCalls = Annotated[
    int, typer.Option("--max-calls", min=0, help="Calls of the model for each attempt.")
]
MaxSeconds = Annotated[
    float, typer.Option("--max-seconds", min=1, help="Wall time for each agent, in s.")
]
ApiBase = Annotated[str, typer.Option("--api-base", help="An endpoint of your own.")]
Prices = Annotated[
    Path | None, typer.Option("--prices", help="A TOML file with prices and limits of your own.")
]
UnknownPrice = Annotated[
    bool, typer.Option("--allow-unknown-price", help="A model without a price costs nothing.")
]
Pins = Annotated[
    list[str] | None,
    typer.Option("--pin", help="NAME=VALUE for all calls (temperature=0); null: left out."),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", help="NAME=VALUE: an option of the track (may be repeated)."),
]
Trust = Annotated[
    bool, typer.Option("--trust-agents", help="Let agents run model output in a weak sandbox.")
]

PINNED = ("temperature", "top_p", "max_tokens", "seed")


def pins(words: Iterable[str]) -> dict[str, Any]:
    """Sampling parameters from `NAME=VALUE`; VALUE is JSON, `null` takes one away. Raises ValueError."""
    found: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if name not in PINNED or not equals:
            raise ValueError(
                f"--pin: {word!r} is not NAME=VALUE with NAME among {', '.join(PINNED)}"
            )
        number = _value(value)
        if number is not None and (isinstance(number, bool) or not isinstance(number, int | float)):
            raise ValueError(f"--pin: {word!r}: the value is no number")
        found[name] = number
    return found


def settings(words: Iterable[str]) -> dict[str, Any]:
    """Options of a track from `NAME=VALUE`; VALUE is JSON, or else a text. Raises ValueError."""
    found: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not name or not equals:
            raise ValueError(f"--set: {word!r} is not NAME=VALUE")
        found[name] = _value(value)
    return found


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
