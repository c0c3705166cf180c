"""`arena run`: agents over a pack of any track, graded and stored; goes on where it was stopped."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, Any

import typer

from arena import options
from arena.cli.common import OK, UNLABELLED, emit, open_session, print_err

if TYPE_CHECKING:
    from arena.protocols import Matrix, Setup
    from arena.store.model import Attempt
    from arena.store.store import Store

AGENTS, DIRECT = "harness.agents", "direct"


def command(
    pack: options.Pack,
    agent: options.Agents = None,
    model: options.Models = None,
    prompt: options.Prompts = None,
    task: options.Tasks = None,
    replicates: options.Replicates = 1,
    resume: options.Resume = "",
    max_usd: options.MaxUsd = 2.0,
    max_calls: options.MaxCalls = 75,
    max_seconds: options.MaxSeconds = 1800.0,
    api_base: options.ApiBase = "",
    prices: options.Prices = None,
    allow_unknown_price: options.UnknownPrice = False,
    pin: options.Pins = None,
    set_: options.Set = None,
    trust_agents: options.Trust = False,
    as_json: options.Json = False,
    sandbox: options.Sandbox = "auto",
    workers: options.Workers = 0,
    scanner: options.Scanner = "",
    probe: options.Probe = True,
    alias: options.Alias = False,
) -> None:
    _expect_agents(agent or ())
    from arena.protocols import Matrix, Setup
    from arena.store.store import Store
    from arena.tracks.opening import track_of
    from harness.gateway.prices import load_prices
    from harness.protocols import Budget

    setup = Setup(
        track_of(pack),
        pack,
        sandbox,
        scanner,
        Budget(max_seconds, max_usd, max_calls),
        trust_agents,
        api_base,
        str(prices or ""),
        allow_unknown_price,
        options.pins(pin or ()),
        options.settings(set_ or ()),
        alias,
    )
    if not agent and not model:
        raise ValueError("--agent or --model: who solves the tasks?")
    if prices:  # a mistake in it costs nothing yet, whoever is run
        load_prices(prices)
    matrix = Matrix(agent or ("direct",), model or (), prompt or (), task or (), replicates)
    run = _find_run_to_resume(Store(), resume) if resume else ""
    raise typer.Exit(_run_attempts(setup, matrix, workers, run, probe, as_json))


def _run_attempts(
    setup: Setup, matrix: Matrix, workers: int, run: str, probe: bool, as_json: bool
) -> int:
    """Returns the exit code. run: the run to go on with, "" for a new run."""
    from arena.store.model import attempt_id

    way_on = "what has ended is kept, and to go on: the same command with --resume {run}"
    with open_session(setup, workers, way_on) as session:
        attempts = session.make(matrix, run, probe)
        # The exit code is about what this command asked for: the run that it resumes may have more.
        named = {attempt_id(attempts[0].run, key) for key in session.track.attempts(matrix)}
    _print(session.store, attempts, named, setup.track, as_json)
    unlabelled = (a for a in attempts if a.label is None and a.id in named)
    return UNLABELLED if any(unlabelled) else OK


def _expect_agents(agents: Sequence[str]) -> None:
    """Raise ValueError for a plain name that no track has, before two seconds of imports.

    The track checks all others: whether it has the agent, and what comes behind a `:`, `@` or `=`.
    """
    from arena.vocabulary import tracks, vocabulary
    from parsers.registry import names
    from parsers.suggestions import suggest_names

    shipped = (name for track in tracks() for name in vocabulary(track).calibration)
    names_of_agents = dict.fromkeys((*names(AGENTS), DIRECT, *shipped))
    for agent in agents:
        if re.fullmatch(r"[\w-]+", agent) and agent not in names_of_agents:
            raise ValueError(
                f"--agent: unknown name {agent!r}; {suggest_names(agent, names_of_agents)}"
            )


def _find_run_to_resume(store: Store, name: str) -> str:
    """The id of a run; for `latest` of the newest that is no sweep's. Raises LookupError."""
    if name == "latest":
        newest = next((run.id for run in store.runs() if not run.settings.get("sweep")), "")
        if not newest:
            raise LookupError("no run 'latest' that `arena run` made; sweeps: arena sweep resume")
        return newest
    return store.run(name).id


def _print(
    store: Store, attempts: list[Attempt], named: Container[str], track: str, as_json: bool
) -> None:
    """named: ids of the attempts that this command names; a resumed run may have more."""
    from arena.report.tables import print_matrix
    from arena.report.text import first_line

    if as_json:
        emit({"run": attempts[0].run, "attempts": [to_json(store, a) for a in attempts]})
    else:
        columns = list(dict.fromkeys(a.column for a in attempts))
        print_matrix(attempts, columns, track=track)
    run, unlabelled = attempts[0].run, [a for a in attempts if a.label is None]
    for a in (a for a in unlabelled if a.health):
        print_err(f"no label: {a.key.task} x {a.column}: {a.health}: {first_line(a.reason)}")
    waiting = [a for a in unlabelled if not a.health]
    if left := sum(a.id in named for a in waiting):
        print_err(f"{left} attempts have not begun: the same command with --resume {run} goes on")
    if others := len(waiting) - left:
        print_err(f"{others} attempts of the run have not begun, which this command does not name")
    print_err(f"run {run}: arena report {run}")


def to_json(store: Store, attempt: Attempt) -> dict[str, Any]:
    """An attempt as `arena run --json` prints it; `patch` is the path of its file."""
    patch = store.file(attempt, "patch")
    return {
        "attempt": attempt.id,
        **vars(attempt.key),
        "label": attempt.label,
        "health": attempt.health,
        "reason": attempt.reason,
        "ended": attempt.ended,
        "usage": attempt.usage,
        "patch": str(patch) if patch else None,
        "seconds": attempt.seconds,
        "provenance": attempt.provenance.to_json(),
    }
