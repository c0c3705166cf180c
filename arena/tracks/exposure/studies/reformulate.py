"""`arena study reformulate`: reformulations of a scenario's instruction from a model, as TOML to paste."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from arena import options
from arena.output import OK, UNLABELLED, UNMET, emit, print_err
from arena.report.text import one_line

if TYPE_CHECKING:
    from arena.models.completion import ModelSettings
    from arena.tracks.exposure.reformulate import Reformulated
    from arena.tracks.exposure.tasks.pack import Scenario

HELP = "Track exposure: have a model reformulate a scenario's instruction."
MAX_REFUSED = 20


def command(
    scenario: Annotated[str, typer.Option("--task", "-t", help="A scenario's id.")],
    model: Annotated[str, typer.Option("--model", "-m", help="PROVIDER/NAME or script:FILE.")],
    pack: options.Pack = "exposure",
    number: Annotated[int, typer.Option("--number", "-n", help="Number of reformulations.")] = 10,
    temperature: Annotated[
        float, typer.Option("--temperature", min=0, help="The sampling temperature.")
    ] = 0.8,
    max_usd: options.MaxUsd = 2.0,
    api_base: options.ApiBase = "",
    prices: options.Prices = None,
    allow_unknown_price: options.UnknownPrice = False,
    as_json: options.Json = False,
) -> None:
    from arena.models.completion import ModelSettings
    from arena.tracks.exposure.reformulate import PINS
    from arena.tracks.exposure.tasks.pack import load_exposure

    chosen = load_exposure(pack).scenario(scenario)
    pins = {**PINS, "temperature": temperature}
    settings = ModelSettings(model, pins, api_base, prices, allow_unknown_price, max_usd, None, 1)
    raise typer.Exit(_reformulate(chosen, settings, number, as_json))


def _reformulate(scenario: Scenario, settings: ModelSettings, number: int, as_json: bool) -> int:
    from arena.models.no_completion import NoCompletion
    from arena.store.store import Store
    from arena.tracks.exposure.reformulate import TooFew, reformulations

    def progress(remaining: int, wanted: int) -> None:
        print_err(f"reformulate {scenario.id}: {remaining} of {wanted}")

    try:
        reformulated = reformulations(scenario, settings, Store(), number, progress)
    except TooFew as error:
        # What came was paid for.
        _print(scenario, error.reformulated, as_json)
        print_err(str(error))
        return UNMET
    except NoCompletion as error:
        print_err(f"no answer: {error}; the same command goes on")
        return UNLABELLED
    _print(scenario, reformulated, as_json)
    return OK


def _print(scenario: Scenario, reformulated: Reformulated, as_json: bool) -> None:
    """Reformulations on stdout, as JSON or as the field of `scenario.toml`; what was refused on stderr."""
    if as_json:
        refused = [{"text": text, "why": why} for text, why in reformulated.refused]
        facts = {
            "scenario": scenario.id,
            "reformulations": list(reformulated.texts),
            "refused": refused,
        }
        emit({**facts, "rounds": reformulated.rounds, "usage": dict(reformulated.ledger)})
        return
    print("reformulations = [")
    for text in reformulated.texts:
        print(f"    {json.dumps(text, ensure_ascii=False)},")
    print("]", flush=True)
    for text, why in reformulated.refused[:MAX_REFUSED]:
        print_err(one_line(f"refused: {text}: {why}"))
