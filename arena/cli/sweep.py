"""`arena sweep`: plan, run, look at, go on with and stop sweeps."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena import options
from arena.cli.common import OK, UNLABELLED, emit, print_err
from arena.report.text import first_line, one_line

if TYPE_CHECKING:
    from arena.store.store import Store
    from arena.sweep.plan import Plan
    from arena.sweep.runs import Status

# Seconds between two looks of `status --watch`.
WATCH_INTERVAL_S = 10.0
# Seconds between looks at whether a driver has ended.
STOP_POLL_S = 0.2

FileArgument = Annotated[
    Path, typer.Argument(metavar="FILE", help="A sweep file; see docs/sweeps.md.")
]
EngineOption = Annotated[str, typer.Option("--engine", help="local or ray; overrides the file.")]
WorkersOption = Annotated[
    int,
    typer.Option("--workers", min=0, help="Concurrent sandboxes per node; 0: as in the file."),
]
WaitOption = Annotated[
    float, typer.Option("--wait", min=0, help="Seconds to wait for the driver to stop.")
]

TrustOption = Annotated[
    bool,
    typer.Option("--trust-import", help="Run the agents that an imported run names."),
]

app = typer.Typer(no_args_is_help=True)


def _store(where: str) -> Store:
    from arena.store.store import Store

    return Store(where or None)


@app.command(
    "plan", help="Print what a sweep would run and its maximum cost; nothing is run or spent."
)
def plan(
    file: FileArgument,
    store: options.StoreAt = "",
    probe: options.ProbePlan = False,
    as_json: options.Json = False,
) -> None:
    from arena.cli.sweep_session import expect_engine, plan_sweep
    from arena.sweep.file import load_sweep

    sweep = load_sweep(file)
    # An unknown engine is refused before the plan is computed.
    expect_engine(sweep)
    sweep_plan = plan_sweep(sweep, _store(store), probe)
    # On standard error, so that --json stays JSON.
    for text in sweep_plan.warnings:
        print_err(text)
    if as_json:
        emit(sweep_plan.to_json())
    else:
        _show_plan(sweep_plan)


def _show_plan(sweep_plan: Plan) -> None:
    from arena.report.power import ASSUMED
    from arena.sweep.plan import WITHDRAWN

    print(f"run {sweep_plan.run}")
    print(f"{sweep_plan.attempts} attempts of {sweep_plan.tasks} tasks, {sweep_plan.done} done")
    bound = f" (bound by {sweep_plan.bound_by})" if sweep_plan.bound_by else ""
    print(f"at most {sweep_plan.max_usd:.2f} USD{bound}")
    print(_expected_cost_line(sweep_plan))
    # None: too few tasks for any difference to be seen.
    if sweep_plan.sees is not None and sweep_plan.sees_with_one_more is not None:
        print(
            f"sees a difference of {100 * sweep_plan.sees:.0f} points between two columns; "
            f"one more replicate: {100 * sweep_plan.sees_with_one_more:.0f} points"
            f"{_replicate_cost_text(sweep_plan)} ({ASSUMED})"
        )
    else:
        print(f"too few tasks to see any difference between two columns ({ASSUMED})")
    for model, share in sweep_plan.by_model.items():
        print(
            one_line(f"  {model or 'no model'}: {share.open} open, {share.max_usd:.2f} USD by caps")
        )
    for need in sweep_plan.images:
        state = "here" if need.base is not None else "not here"
        needs = f"{need.environments} environments, {need.here} here"
        about = "about " if need.estimated else ""
        # Names of models and images come from files: one_line keeps control characters off the terminal.
        print(one_line(f"image {need.image}: {state}; {needs}; {about}{need.bytes / 1e9:.2f} GB"))
    if sweep_plan.gone:
        print(f"{sweep_plan.gone} attempts of the run {WITHDRAWN}")


def _expected_cost_line(sweep_plan: Plan) -> str:
    """Beside the upper bound: what ended attempts have cost."""
    costs = sweep_plan.expected
    if not costs.of:
        return "expected: not known; no attempt of these agents and models has ended here"
    unknown = f"; {costs.unknown} attempts of others are not counted" if costs.unknown else ""
    return f"expected: {costs.usd:.2f} USD, by {costs.of} attempts that have ended{unknown}"


def _replicate_cost_text(sweep_plan: Plan) -> str:
    """The cost of a further replicate, if it can be estimated, else ""."""
    costs = sweep_plan.expected
    # Where costs of some are unknown, a sum without them would be taken for the whole.
    return f", about {costs.replicate_usd:.2f} USD" if costs.of and not costs.unknown else ""


@app.command("run", help="Run a sweep file; resumes where it was stopped.")
def run(
    file: FileArgument,
    engine: EngineOption = "",
    address: options.Address = "",
    store: options.StoreAt = "",
    workers: WorkersOption = 0,
    probe: options.Probe = True,
    as_json: options.Json = False,
) -> None:
    from arena.cli.sweep_session import conduct
    from arena.sweep.file import load_sweep

    sweep = load_sweep(file).with_engine(engine, address, workers)
    conduct(sweep, _store(store), sweep.run, as_json, probe)


@app.command("resume", help="Resume a sweep from the store; its file is not needed.")
def resume(
    run: options.Run = "latest",
    engine: EngineOption = "",
    address: options.Address = "",
    store: options.StoreAt = "",
    workers: WorkersOption = 0,
    trust_import: TrustOption = False,
    as_json: options.Json = False,
) -> None:
    from arena.cli.sweep_session import conduct
    from arena.store.known import known_store
    from arena.sweep.file import Sweep
    from arena.sweep.runs import find_run

    opened = known_store(store)
    run_id = find_run(opened, run)
    # Agents may be command lines, which a file from anywhere would then run here.
    if opened.foreign(run_id) and not trust_import:
        raise ValueError(
            f"run {run_id}: was imported, and what its agents would run came with it; name a sweep file of "
            "your own (arena sweep run FILE), or trust it: --trust-import"
        )
    sweep = Sweep.from_settings(opened.run(run_id).settings, f"run {run_id}")
    conduct(sweep.with_engine(engine, address, workers), opened, run_id, as_json)


@app.command("status", help="Print the status of a sweep, also while it runs, or of all.")
def status(
    run: options.Run = "latest",
    store: options.StoreAt = "",
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on while its driver is at work.")
    ] = False,
    every: Annotated[
        bool, typer.Option("--all", help="One line for each run of the store, newest first.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    from arena.store.known import known_store
    from arena.sweep.runs import find_run
    from arena.sweep.runs import status as look

    opened = known_store(store)
    if every:
        _list([look(opened, row.id) for row in opened.runs()], as_json)
        return
    # Resolved once: "latest" may be another run at the second look.
    name = find_run(opened, run)
    while True:
        progress = look(opened, name)
        if as_json:
            emit(progress.to_json())
        else:
            print("\n".join(_status_lines(progress)), flush=True)
        # Without a driver nothing changes any more.
        if not watch or progress.state != "running":
            return
        time.sleep(WATCH_INTERVAL_S)


def _list(statuses: Sequence[Status], as_json: bool) -> None:
    if as_json:
        emit([sweep_status.to_json() for sweep_status in statuses])
        return
    for sweep_status in statuses:
        facts = (
            sweep_status.run,
            sweep_status.state,
            f"{sweep_status.attempts_done}/{sweep_status.attempts}",
            _counts_text(sweep_status.labels),
        )
        print("\t".join(one_line(str(fact)) for fact in (*facts, f"{sweep_status.usd:.4f} USD")))


def _status_lines(progress: Status) -> list[str]:
    from arena.sweep.plan import WITHDRAWN
    from arena.sweep.progress import duration, per_minute

    budget = "" if progress.budget_usd is None else f" of {progress.budget_usd:g}"
    lines = [
        f"run {progress.run}: {progress.state}; track {progress.track}, pack {progress.pack}",
        f"{progress.attempts_done} of {progress.attempts} attempts done; "
        f"{progress.attempts_unlabelled} without a label",
        f"labels: {_counts_text(progress.labels)}",
        f"health: {_counts_text({name or 'not ended': n for name, n in progress.healths.items()})}",
        *([f"most often: {first_line(progress.reason)}"] if progress.reason else []),
        *([f"{progress.withdrawn} attempts {WITHDRAWN}"] if progress.withdrawn else []),
        f"{progress.usd:.4f}{budget} USD, {progress.tokens} tokens",
    ]
    lines += [
        f"  {name or 'no model'}: {spent.usd:.4f} USD" for name, spent in progress.by_model.items()
    ]
    if progress.per_minute:
        left = f"; {duration(progress.left_seconds)} left" if progress.left_seconds else ""
        lines.append(f"{per_minute(progress.per_minute)} a minute{left}")
    return [
        one_line(line) if not line.startswith("  ") else f"  {one_line(line)}" for line in lines
    ]


def _counts_text(counts: Any) -> str:
    return ", ".join(f"{n} {name}" for name, n in sorted(counts.items()) if n) or "none yet"


@app.command("stop", help="Stop the driver of a sweep, wherever it runs; finished work is kept.")
def stop(
    run: options.Run = "latest",
    store: options.StoreAt = "",
    wait: WaitOption = 60.0,
    as_json: options.Json = False,
) -> None:
    from arena.store.known import known_store
    from arena.sweep.runs import find_run

    opened = known_store(store)
    run_id = find_run(opened, run)
    # Without a driver nobody would fulfil the wish.
    had_driver = opened.has_driver(run_id)
    if had_driver:
        opened.request(run_id, "stop")
        until = time.monotonic() + wait
        while opened.has_driver(run_id) and time.monotonic() < until:
            if (
                opened.read_wish(run_id) != "stop"
            ):  # taken for an old wish by a driver that just began
                opened.request(run_id, "stop")
            time.sleep(STOP_POLL_S)
    is_running = had_driver and opened.has_driver(run_id)
    if as_json:
        emit({"run": run_id, "was_running": had_driver, "stopped": not is_running})
    if not had_driver:
        print_err(f"no driver is at work on {run_id}")
    else:
        print_err(
            f"{run_id}: asked to stop, and not ended yet" if is_running else f"{run_id}: stopped"
        )
    # Without a driver the answer is OK as well: the sweep does not run, as wanted.
    raise typer.Exit(UNLABELLED if is_running else OK)
