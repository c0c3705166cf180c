"""`arena study pe`: PE of a scenario, or ME of models, from numbers that are at hand (Equations 2 to 6)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena import options
from arena.output import emit, print_err

if TYPE_CHECKING:
    from arena.report.statistics import Interval
    from arena.tracks.exposure.intervals import ScenarioShares
    from arena.tracks.exposure.scores import Exposure, Wording

HELP = """Track exposure: compute PE of one scenario, or ME of models, from numbers in a file.

FILE: {"cvss", "base", "reformulations": [{"vulnerable", "valid", "perplexity", "cvss"}, ...]}, the original
first, for a PE; {"model": [PE, PE, ...]} for the ME of models.
"""
SCENARIO_FIELDS = ("cvss", "base", "reformulations")
WORDING_FIELDS = ("vulnerable", "valid", "perplexity", "cvss")


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A JSON file.")],
    base: Annotated[
        float | None,
        typer.Option("--base", help="The base of the powers, for ME; above 1; default: 2."),
    ] = None,
    as_json: options.Json = False,
) -> None:
    # Imported late, as in all commands here: --help does without them.
    from arena.tracks.exposure.reading import read_object
    from arena.tracks.exposure.scores import BASE

    facts = read_object(file)
    # With one of the two fields it is a scenario that lacks the other, and is reported so.
    if "reformulations" not in facts and "cvss" not in facts:
        used = BASE if base is None else base
        show_exposures(exposures_of(file, facts, used), used, as_json)
        return
    # Two bases would contradict each other.
    if base is not None:
        raise ValueError("--base: a scenario's file tells its own")
    _show_pe(file, facts, as_json)


def _show_pe(file: Path, facts: Mapping[str, Any], as_json: bool) -> None:
    from arena.tracks.exposure.intervals import pe_interval
    from arena.tracks.exposure.scores import prompt_exposure

    scenario, base = scenario_of(file, facts)
    try:
        exposure = prompt_exposure(scenario.cvss, base, scenario.wordings)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from error
    interval = pe_interval(scenario, base)
    if as_json:
        row = {"cvss": scenario.cvss, "base": base, "interval": interval.to_json()}
        emit({**exposure.to_json(), **row})
    else:
        print(f"PE {_with_bounds(interval)}, base {base:g}{_labels(exposure)}")


def exposures_of(path: Path, listed: Mapping[str, Any], base: float) -> dict[str, Interval]:
    """ME of each model of a file {"model": [PE, ...]} (Equation 4). Raises ValueError naming both."""
    from arena.tracks.exposure.intervals import me_interval
    from arena.tracks.exposure.scores import expect_base, expect_score

    expect_base(base)
    if not listed:
        raise ValueError(f"{path}: no model")
    result = {}
    for model, values in listed.items():
        try:
            if not isinstance(values, list):
                raise ValueError("a list of PE values is needed")
            matching = [expect_score(value, f"PE {n}") for n, value in enumerate(values)]
            result[model] = me_interval(matching, base)
        except ValueError as error:
            raise ValueError(f"{path}: {model[:80]!r}: {error}") from error
    return result


def show_exposures(result: Mapping[str, Interval], base: float, as_json: bool) -> None:
    """ME by model: JSON with unrounded numbers, or a line for each, the least exposed first."""
    if as_json:
        emit(
            {
                model: {"me": me.value, "base": base, "n": me.n, "interval": me.to_json()}
                for model, me in result.items()
            }
        )
        return
    from arena.report.text import one_line

    for model, me in sorted(result.items(), key=lambda pair: (pair[1].value or 0.0, pair[0])):
        print(one_line(f"{model}: ME {_with_bounds(me)}, {me.n} scenarios, base {base:g}"))


def scenario_of(path: Path, facts: Mapping[str, Any]) -> tuple[ScenarioShares, float]:
    """Scenario and base of a file, the original wording first. Raises ValueError naming the field."""
    from arena.tracks.exposure.intervals import ScenarioShares
    from arena.tracks.exposure.scores import BASE, expect_base, expect_score

    # Gathered from all entries, so that a single line reports them.
    unknown = sorted(set(facts) - set(SCENARIO_FIELDS))
    listed = facts.get("reformulations")
    if not isinstance(listed, list) or not listed:
        raise ValueError(f"{path}: reformulations: a list is needed, with one entry or more")
    wordings = []
    for number, entry in enumerate(listed):
        place = f"{path}: reformulations[{number}]"
        if not isinstance(entry, dict):
            raise ValueError(f"{place}: an object is needed")
        unknown += sorted(set(entry) - set(WORDING_FIELDS) - set(unknown))
        try:
            wordings.append(_wording(entry))
        except ValueError as error:
            raise ValueError(f"{place}: {error}") from error
    if unknown:
        print_err(f"{path}: not read: {', '.join(name[:40] for name in unknown[:5])}")
    try:
        base = expect_base(facts.get("base", BASE))
        return ScenarioShares(expect_score(facts.get("cvss"), "cvss"), tuple(wordings)), base
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _wording(entry: Mapping[str, Any]) -> Wording:
    from arena.tracks.exposure.scores import Wording

    for name in ("vulnerable", "valid"):
        if name not in entry:
            raise ValueError(f"{name}: missing")
    # Fields that are missing get the defaults of Wording.
    return Wording(**{name: entry[name] for name in WORDING_FIELDS if name in entry})


def _with_bounds(interval: Interval) -> str:
    if interval.low is None or interval.high is None:
        return f"{interval.value:.1f} (no interval)"
    return f"{interval.value:.1f} (95 %: {interval.low:.1f} to {interval.high:.1f})"


def _labels(exposure: Exposure) -> str:
    """What a reader must know of a PE."""
    n = exposure.wordings
    remarks = (
        (exposure.clipped, "clipped to 0: vulnerable completions were seen, but seldom"),
        (exposure.never and exposure.no_valid < n, f"never vulnerable in {n} wordings"),
        (exposure.no_valid == n, "no valid completion at all: P is 0 by definition"),
        (
            0 < exposure.no_valid < n,
            f"{exposure.no_valid} of {n} wordings without any valid completion",
        ),
        (
            exposure.unweighted,
            f"{exposure.unweighted} of {n} wordings not weighted, without perplexity",
        ),
    )
    return "".join(f"; {text}" for holds, text in remarks if holds)
