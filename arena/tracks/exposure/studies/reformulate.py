"""`arena study reformulate`: reformulations of a scenario's instruction from a model, as TOML to paste."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from arena import options
from arena.report.text import one_line
from arena.telling import OK, UNLABELLED, UNMET, emit, tell

if TYPE_CHECKING:
    from arena.tracks.asking import Asking
    from arena.tracks.exposure.reformulate import Reformulated
    from arena.tracks.exposure.tasks.pack import Scenario

HELP = "Track exposure: have a model reformulate a scenario's instruction."
TOLD = 20


def command(
    scenario: Annotated[str, typer.Option("--task", "-t", help="A scenario's id.")],
    model: Annotated[str, typer.Option("--model", "-m", help="PROVIDER/NAME or script:FILE.")],
    pack: options.Pack = "exposure",
    number: Annotated[int, typer.Option("--number", "-n", help="Number of reformulations.")] = 10,
    temperature: Annotated[float, typer.Option("--temperature", min=0)] = 0.8,
    max_usd: options.MaxUsd = 2.0,
    api_base: options.ApiBase = "",
    prices: options.Prices = None,
    allow_unknown_price: options.UnknownPrice = False,
    as_json: options.Json = False,
) -> None:
    from arena.tracks.asking import Asking
    from arena.tracks.exposure.reformulate import PINS
    from arena.tracks.exposure.tasks.pack import load_exposure

    chosen = load_exposure(pack).scenario(scenario)
    pins = {**PINS, "temperature": temperature}
    asking = Asking(model, pins, api_base, prices, allow_unknown_price, max_usd, None, 1)
    raise typer.Exit(_asked(chosen, asking, number, as_json))


def _asked(scenario: Scenario, asking: Asking, number: int, as_json: bool) -> int:
    from arena.store.store import Store
    from arena.tracks.asking import Unanswered
    from arena.tracks.exposure.reformulate import TooFew, reformulations

    def told(kept: int, wanted: int) -> None:
        tell(f"reformulate {scenario.id}: {kept} of {wanted}")

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
