"""`arena run`: agents over a pack, graded and stored; goes on where it was stopped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.common import (
    OK,
    UNLABELLED,
    JsonOption,
    PackOption,
    SandboxOption,
    ScannerOption,
    WorkersOption,
    emit,
    tell,
)

if TYPE_CHECKING:
    from arena.store.store import Attempt, Store

NAME = "run"
HELP = "Let agents solve the tasks of a pack, grade what they leave, and store it."

ModelsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        help="PROVIDER/NAME, script:FILE, or replay:RUN; for agents that ask one (may be repeated).",
    ),
]
PromptsOption = Annotated[
    list[str] | None,
    typer.Option("--prompt", help="neutral (default), reminder, or a file (may be repeated)."),
]
ApiBaseOption = Annotated[str, typer.Option("--api-base", help="An endpoint of your own.")]
PricesOption = Annotated[
    Path | None, typer.Option("--prices", help="A TOML file with prices and limits of your own.")
]
PinsOption = Annotated[
    list[str] | None,
    typer.Option("--pin", help="NAME=VALUE for all calls (temperature=0); null: left out."),
]
UnknownPriceOption = Annotated[
    bool, typer.Option("--allow-unknown-price", help="A model without a price costs nothing.")
]


AgentsOption = Annotated[
    list[str], typer.Option("--agent", help="An agent's name (may be repeated).")
]
TasksOption = Annotated[list[str] | None, typer.Option("--task", help="Only these tasks.")]
ReplicatesOption = Annotated[int, typer.Option("--replicates", min=1, help="Attempts of the same.")]
ResumeOption = Annotated[str, typer.Option("--resume", help="Go on with a run: its id, or latest.")]
UsdOption = Annotated[float, typer.Option("--max-usd", min=0, help="US dollars for each attempt.")]
CallsOption = Annotated[
    int, typer.Option("--max-calls", min=0, help="Calls of the model for each attempt.")
]
TimeOption = Annotated[
    float, typer.Option("--max-time", "--seconds", min=1, help="Wall time for each agent, in s.")
]
TrustOption = Annotated[
    bool, typer.Option("--trust-agents", help="Let agents run model output in a weak sandbox.")
]


def command(
    pack: PackOption,
    agent: AgentsOption,
    model: ModelsOption = None,
    prompt: PromptsOption = None,
    task: TasksOption = None,
    replicates: ReplicatesOption = 1,
    resume: ResumeOption = "",
    max_usd: UsdOption = 2.0,
    max_calls: CallsOption = 75,
    seconds: TimeOption = 1800.0,
    api_base: ApiBaseOption = "",
    prices: PricesOption = None,
    allow_unknown_price: UnknownPriceOption = False,
    pin: PinsOption = None,
    trust_agents: TrustOption = False,
    as_json: JsonOption = False,
    sandbox: SandboxOption = "auto",
    workers: WorkersOption = 0,
    scanner: ScannerOption = "",
) -> None:
    from arena.cli.gateway import pins_from
    from arena.cli.session import open_session
    from arena.protocols import Matrix
    from arena.store.store import Store
    from arena.tracks.repo.models import ModelOptions
    from arena.tracks.repo.track import PINS
    from harness.agents import Budget
    from harness.agents._make import make_agent
    from tasks.instruction.templates import known_prompt
    from tasks.loader import load_pack

    loaded = load_pack(pack)
    for name in task or ():
        loaded.task(name)
    for name in agent:
        make_agent(name, loaded.tasks[0])
    prompts = [known_prompt(name) for name in prompt or ("neutral",)]
    run = Store().run(resume).id if resume else ""
    budget = Budget(seconds, max_usd, max_calls)
    pinned = {**PINS, **pins_from(pin or [])}
    options = ModelOptions(api_base, prices, allow_unknown_price, pinned)
    session = open_session(loaded, sandbox, scanner, workers, budget, trust_agents, options)
    matrix = Matrix(agent, model or (), prompts, task or (), replicates)
    attempts = session.make(matrix, pack, run)
    _show(session.store, attempts, as_json)
    raise typer.Exit(UNLABELLED if any(a.label is None for a in attempts) else OK)


def _show(store: Store, attempts: list[Attempt], as_json: bool) -> None:
    from arena.report.tables import print_matrix

    if as_json:
        emit({"run": attempts[0].run, "attempts": [to_json(store, a) for a in attempts]})
    else:
        print_matrix(attempts, list(dict.fromkeys(a.key.column for a in attempts)))
    for a in (a for a in attempts if a.label is None):
        tell(f"no label: {a.key.task} x {a.key.column}: {a.health}: {a.reason}")
    tell(f"run {attempts[0].run}: arena report {attempts[0].run}")


def to_json(store: Store, attempt: Attempt) -> dict[str, Any]:
    """An attempt as `arena run --json` tells it; `patch` is the path of its file."""
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
    }
