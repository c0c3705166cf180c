"""`arena agents try`: a trial attempt of an agent, shown live, ungraded and in no store."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena import options
from arena.cli.common import OK, UNLABELLED, UNMET, emit, print_err
from arena.report.text import one_line, visible

if TYPE_CHECKING:
    from arena.store.model import AttemptKey
    from harness.protocols import Solution

HELP = "Let an agent do one task and show what it did: by default a script, which costs nothing."
# Characters of a message or of a tool's arguments.
MAX_LINE_CHARACTERS = 160
MAX_PATCH_CHARACTERS = 4_000


def try_(
    name: Annotated[str, typer.Argument(metavar="NAME", help="An agent.")],
    task: Annotated[
        str, typer.Option("--task", "-t", help="A task; default: the pack's first.")
    ] = "",
    model: Annotated[
        str,
        typer.Option(
            "--model", "-m", help="PROVIDER/NAME, script:FILE, or script:hello, which ships."
        ),
    ] = "script:hello",
    pack: Annotated[
        str, typer.Option("--pack", "-p", help="A pack of the track repo.")
    ] = "starter",
    max_usd: options.MaxUsd = 2.0,
    max_calls: options.MaxCalls = 75,
    max_seconds: options.MaxSeconds = 600.0,
    api_base: options.ApiBase = "",
    prices: options.Prices = None,
    allow_unknown_price: options.UnknownPrice = False,
    sandbox: options.Sandbox = "auto",
    as_json: options.Json = False,
) -> None:
    from arena.protocols import Matrix, Setup
    from arena.tracks.opening import open_track
    from harness.grade.ports import MemoryCache
    from harness.protocols import Budget
    from tasks.loader import load_pack

    chosen = task or load_pack(pack).tasks[0].id
    setup = Setup(
        "repo",
        pack,
        sandbox,
        caps=Budget(max_seconds, max_usd, max_calls),
        api_base=api_base,
        prices=str(prices or ""),
        allow_unknown_price=allow_unknown_price,
    )
    # In memory: a trial leaves nothing in the store.
    track = open_track(setup, MemoryCache(), print_err)
    try:
        (key,) = track.attempts(Matrix((name,), (model,), tasks=(chosen,)))
        print_err(f"{key.column} on {key.task}")
        solution = track.solve(key, lambda _: None)
    finally:
        track.close()
    if as_json:
        emit(_facts(key, solution))
    else:
        _print(solution)
    raise typer.Exit(_exit_code(key, solution, as_json))


def _facts(key: AttemptKey, solution: Solution) -> dict[str, Any]:
    began = [row["began"] for row in _calls(solution)]
    return {
        **vars(key),
        "ended": solution.ended,
        "note": dict(solution.note),
        "usage": dict(solution.usage),
        "first_call_after": began[0] if began else None,
        "patch": solution.patch.decode("utf-8", "replace"),
    }


def _print(solution: Solution) -> None:
    """Print the agent's steps and the resulting patch."""
    for line in _steps(solution):
        print(line)
    patch = solution.patch.decode("utf-8", "replace")
    print(
        visible(patch[:MAX_PATCH_CHARACTERS])
        + ("..." if len(patch) > MAX_PATCH_CHARACTERS else ""),
        end="",
    )
    usage = solution.usage
    spent = f"{usage.get('calls', 0)} calls, {usage.get('usd', 0.0):.4f} USD"
    seconds = f"{usage.get('seconds', 0.0):.1f} s"
    print(f"{solution.ended} after {seconds}: {spent}, {len(solution.patch)} bytes of patch")


def _steps(solution: Solution) -> Iterator[str]:
    """A line for each answer of the model and each tool that it called, with the call's time."""
    steps = json.loads(solution.artefacts.get("atif", b"{}")).get("steps", [])
    # A refused call has no answer, and so no step beside which its time could stand.
    began = (f"{row['began']:6.1f} s" for row in _calls(solution) if row["status"] < 400)
    for step in steps:
        if "metrics" not in step:  # an example in a prompt, say
            continue
        yield f"{next(began, ''):>8}  {_cut(step.get('message'))}".rstrip()
        for call in step.get("tool_calls") or ():
            yield f"{'':>8}  {_cut(call.get('function_name'))} {_cut(call.get('arguments'))}"


def _cut(value: object) -> str:
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value)
    line = one_line(text)
    return line if len(line) <= MAX_LINE_CHARACTERS else f"{line[:MAX_LINE_CHARACTERS]}..."


def _calls(solution: Solution) -> list[Mapping[str, Any]]:
    calls: list[Mapping[str, Any]] = json.loads(solution.artefacts.get("ledger", b"{}")).get(
        "calls", []
    )
    return calls


def _exit_code(key: AttemptKey, solution: Solution, quiet: bool) -> int:
    """The exit code; the agent's last output is printed if it did not end well."""
    from harness.agents import NeverAsked
    from harness.agents._unasked import expect_asked, last_lines
    from harness.protocols import Ended

    last = last_lines(solution.artefacts.get("output", b""))
    try:
        if key.model:
            expect_asked(key.agent, solution)
    except NeverAsked as fault:
        first, *last = str(fault).split("\n")
        print_err(f"arena: {first}")
    if solution.ended is Ended.FINISHED and solution.patch:
        return OK
    if not quiet:
        for line in last:
            print_err(line)
    unusable = solution.ended in (
        Ended.MODEL_UNAVAILABLE,
        Ended.DIVERGED,
    ) or not solution.usage.get("calls")
    return UNLABELLED if key.model and unusable else UNMET
