"""`arena exposure sample`: programs for the wordings of a pack's scenarios, from a model.

The group `exposure` takes the command from COMMANDS.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.common import OK, UNLABELLED, JsonOption, asked_now, emit, tell

if TYPE_CHECKING:
    from arena.tracks.asking import Asking
    from arena.tracks.exposure.sampling.listing import Row
    from arena.tracks.exposure.sampling.sampling import Plan, Sampled
    from arena.tracks.exposure.tasks.pack import ExposurePack, Scenario

PackOption = Annotated[str, typer.Option("--pack", help="A pack's folder, or its name.")]
TOLD = 20


def sample(
    model: Annotated[str, typer.Option("--model", help="PROVIDER/NAME or script:FILE.")],
    out: Annotated[Path, typer.Option("--out", help="The folder to write samples to.")],
    mode: Annotated[
        str, typer.Option("--mode", help="instruct, completion or completion-chat.")
    ] = "instruct",
    pack: PackOption = "exposure",
    scenario: Annotated[
        list[str] | None, typer.Option("--scenario", help="Only these scenarios.")
    ] = None,
    paper: Annotated[bool, typer.Option("--paper", help="Only the paper's scenarios.")] = False,
    reformulations: Annotated[
        int, typer.Option("--reformulations", min=0, help="N: of each scenario.")
    ] = 10,
    samples: Annotated[int, typer.Option("--samples", min=1, help="M: of each wording.")] = 25,
    temperature: Annotated[float, typer.Option("--temperature", min=0)] = 0.2,
    top_p: Annotated[float, typer.Option("--top-p", min=0, max=1)] = 0.95,
    max_tokens: Annotated[int, typer.Option("--max-tokens", min=1, help="Of each sample.")] = 1024,
    max_usd: Annotated[
        float | None, typer.Option("--max-usd", min=0, help="Cap in USD on what is asked now.")
    ] = None,
    max_calls: Annotated[
        int | None, typer.Option("--max-calls", min=0, help="Cap in calls on what is asked now.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Calls at a time.")] = 8,
    api_base: Annotated[str, typer.Option("--api-base", help="An endpoint of your own.")] = "",
    prices: Annotated[
        Path | None, typer.Option("--prices", help="A TOML file with prices of your own.")
    ] = None,
    allow_unknown_price: Annotated[
        bool, typer.Option("--allow-unknown-price", help="A model without a price costs nothing.")
    ] = False,
    pin: Annotated[
        list[str] | None, typer.Option("--pin", help="NAME=VALUE for all calls; null: left out.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    from arena.options import pins as pins_from
    from arena.tracks.asking import Asking
    from arena.tracks.exposure.sampling.folder import expect_ours, write_samples
    from arena.tracks.exposure.sampling.sampling import Plan
    from arena.tracks.exposure.sampling.state import MODES
    from arena.tracks.exposure.tasks.pack import load_exposure

    if mode not in MODES:
        raise ValueError(f"--mode: {mode!r} is unknown; known: {', '.join(MODES)}")
    plan = Plan(mode, reformulations, samples)
    expect_ours(out, model, plan.mode)
    loaded = load_exposure(pack)
    chosen = chosen_scenarios(loaded, scenario or (), paper)
    if samples > 1 and not temperature:
        tell("--temperature is 0: samples of one wording may all be the same")
    sampling = {"temperature": temperature, "top_p": top_p, "max_tokens": max_tokens}
    pins = {**sampling, **pins_from(pin or [])}
    asking = Asking(model, pins, api_base, prices, allow_unknown_price, max_usd, max_calls, jobs)
    made = _asked(loaded, chosen, plan, asking)
    write_samples(out, made.listing, made.programs)
    show_sampled(made, out, as_json)
    raise typer.Exit(UNLABELLED if made.missing else OK)


def chosen_scenarios(pack: ExposurePack, names: Sequence[str], paper: bool) -> list[Scenario]:
    """The scenarios that were named, each once, or all. Raises TaskError or ValueError."""
    asked = [pack.scenario(name) for name in dict.fromkeys(names)] or list(pack.scenarios)
    chosen = [one for one in asked if one.spec.paper or not paper]
    if not chosen:
        raise ValueError("--paper: none of these scenarios is one of the paper's")
    return chosen


def _asked(pack: ExposurePack, scenarios: list[Scenario], plan: Plan, asking: Asking) -> Sampled:
    from arena.cli.counting import Counting
    from arena.store.store import Store
    from arena.tracks.exposure.sampling.sampling import sample as ask

    spent = 0.0

    def told(row: Row, usd: float) -> None:
        nonlocal spent
        spent += usd
        cost = f", {spent:.4f} USD so far" if spent else ""
        bar.step(f"{row.scenario}/{row.wording}/{row.sample}: {row.state}{cost}")

    total = len(scenarios) * (plan.reformulations + 1) * plan.samples
    with Counting(total, f"sample {plan.mode}") as bar:
        return ask(pack, scenarios, plan, asking, Store(), told)


def show_sampled(made: Sampled, out: Path, as_json: bool) -> None:
    """What was sampled: JSON or a line on stdout, and what is missing on stderr."""
    rows, ledger = made.listing.rows, made.listing.ledger
    states = Counter(str(row.state) for row in rows)
    if as_json:
        facts = {"out": str(out), "samples": len(rows), "states": dict(sorted(states.items()))}
        emit({**facts, "missing": list(made.missing), "usage": ledger})
    else:
        counted = ", ".join(f"{n} {state}" for state, n in states.most_common())
        print(f"{out}: {len(rows)} samples: {counted}; {asked_now(ledger)}")
    for why in made.missing[:TOLD]:
        tell(f"no answer: {why}")
    if made.missing:
        tell(f"{len(made.missing)} samples are missing; the same command goes on with them")


COMMANDS: dict[str, tuple[Callable[..., None], str]] = {
    "sample": (sample, "Let a model write programs for each wording of each scenario."),
}
"""Name -> function and help, for the group `exposure`."""
