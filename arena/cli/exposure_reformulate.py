"""`arena exposure reformulate`: reformulations of a scenario's instruction from a model, as TOML to paste."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.common import OK, UNLABELLED, UNMET, JsonOption, emit, tell
from arena.report.text import one_line

if TYPE_CHECKING:
    from arena.tracks.asking import Asking
    from arena.tracks.exposure.reformulate import Reformulated
    from arena.tracks.exposure.tasks.pack import Scenario

TOLD = 20


def reformulate(
    scenario: Annotated[str, typer.Option("--scenario", help="A scenario's id.")],
    model: Annotated[str, typer.Option("--model", help="PROVIDER/NAME or script:FILE.")],
    pack: Annotated[str, typer.Option("--pack", help="A pack's folder, or its name.")] = "exposure",
    number: Annotated[int, typer.Option("-n", "--number", help="Reformulations wanted.")] = 10,
    temperature: Annotated[float, typer.Option("--temperature", min=0)] = 0.8,
    max_usd: Annotated[float | None, typer.Option("--max-usd", min=0, help="Cap in USD.")] = None,
    api_base: Annotated[str, typer.Option("--api-base", help="An endpoint of your own.")] = "",
    prices: Annotated[
        Path | None, typer.Option("--prices", help="A TOML file with prices of your own.")
    ] = None,
    allow_unknown_price: Annotated[
        bool, typer.Option("--allow-unknown-price", help="A model without a price costs nothing.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    from arena.tracks.asking import Asking
    from arena.tracks.exposure.reformulate import PINS
    from arena.tracks.exposure.tasks.pack import load_exposure

    chosen = load_exposure(pack).scenario(scenario)
    pins = {**PINS, "temperature": temperature}
    asking = Asking(model, pins, api_base, prices, allow_unknown_price, max_usd, None, 1)
    raise typer.Exit(_asked(chosen, asking, number, as_json))


def _asked(scenario: Scenario, asking: Asking, number: int, as_json: bool) -> int:
    from arena.cli.counting import Counting
    from arena.store.store import Store
    from arena.tracks.asking import Unanswered
    from arena.tracks.exposure.reformulate import TooFew, reformulations

    with Counting(number, f"reformulate {scenario.id}") as bar:
        before = 0

        def told(kept: int, wanted: int) -> None:
            nonlocal before
            for _ in range(kept - before):
                bar.step(f"{kept} of {wanted}")
            before = kept

        try:
            found = reformulations(scenario, asking, Store(), number, told)
        except TooFew as error:
            _show(scenario, error.found, as_json)
            tell(str(error))
            return UNMET
        except Unanswered as error:
            tell(f"no answer: {error}; the same command goes on")
            return UNLABELLED
    _show(scenario, found, as_json)
    return OK


def _show(scenario: Scenario, found: Reformulated, as_json: bool) -> None:
    """Reformulations on stdout, as JSON or as the field of `scenario.toml`; what was refused on stderr."""
    if as_json:
        refused = [{"text": text, "why": why} for text, why in found.refused]
        facts = {"scenario": scenario.id, "reformulations": list(found.texts), "refused": refused}
        emit({**facts, "rounds": found.rounds, "usage": dict(found.ledger)})
        return
    print("reformulations = [")
    for text in found.texts:
        print(f"    {json.dumps(text, ensure_ascii=False)},")
    print("]", flush=True)
    for text, why in found.refused[:TOLD]:
        tell(one_line(f"refused: {text}: {why}"))


COMMANDS: dict[str, tuple[Callable[..., None], str]] = {
    "reformulate": (reformulate, "Ask a model for reformulations of a scenario's instruction."),
}
"""Name -> function and help, for the group `exposure`."""
