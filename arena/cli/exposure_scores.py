"""`arena exposure score|pe|cvss`: Equations 1 to 6 over numbers that are at hand.

The group `exposure` takes the commands from COMMANDS.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.common import JsonOption, emit, tell
from arena.cli.exposure_across import (
    AcrossOptions,
    IncorrectOption,
    RunOption,
    StrictOption,
    SuspiciousOption,
    expect_fitting,
    show_across,
)
from arena.cli.exposure_means import (
    ApplicableOption,
    BaseOption,
    CvssOption,
    MeansOptions,
    PackOption,
    PerplexityOption,
    ReferenceOption,
    TableOption,
    assessments,
)

if TYPE_CHECKING:
    from arena.report.statistics import Interval
    from arena.tracks.exposure.assessment import Assessment
    from arena.tracks.exposure.cvss.aggregate import Aggregated
    from arena.tracks.exposure.intervals import Scenario
    from arena.tracks.exposure.scores import Exposure, Wording

SCENARIO_FIELDS = ("cvss", "base", "reformulations")
WORDING_FIELDS = ("vulnerable", "valid", "perplexity", "cvss")


def score(
    results: Annotated[
        list[Path] | None, typer.Argument(metavar="RESULT...", help="Files of detect --samples.")
    ] = None,
    pe: Annotated[
        Path | None, typer.Option("--pe", help='In their place {"model": [PE, PE, ...]}.')
    ] = None,
    base: BaseOption = 2.0,
    table: TableOption = None,
    given: CvssOption = None,
    perplexity: PerplexityOption = "",
    reference_model: ReferenceOption = "",
    applicable: ApplicableOption = False,
    pack: PackOption = "exposure",
    run: RunOption = "",
    suspicious: SuspiciousOption = False,
    incorrect: IncorrectOption = False,
    strict: StrictOption = False,
    as_json: JsonOption = False,
) -> None:
    across = AcrossOptions(run, suspicious, incorrect, strict)
    options = MeansOptions(base, table, tuple(given or ()), perplexity, reference_model, applicable)
    expect_fitting(across, options, results)
    if pe is not None:
        if results or across.asked:
            raise ValueError("--pe: takes no RESULT or --run beside it")
        if options != MeansOptions(base):
            raise ValueError("--pe: PE are given, and nothing but --base and --json goes with them")
        show_exposures(exposures_of_file(pe, base), base, as_json)
        return
    if across.asked:
        show_across(across, pack, options, as_json)
        return
    _show_scores(assessments(results or [], pack, options), as_json)


def _show_scores(found: Sequence[Assessment], as_json: bool) -> None:
    from arena.report.text import one_line

    if as_json:
        emit({one.name: one.to_json() for one in found})
        return
    for one in found:
        print(one_line(f"{one.name}: ME {_with_bounds(one.scores.me)}, {_basis(one)}"))
        for name, exposure in one.scores.exposures.items():
            severity = one.scenarios[name].severity
            known = exposure if one.means.perplexities else replace(exposure, unweighted=0)
            told = _labels(known, _counted(one))
            shown = f"PE {_with_bounds(one.scores.pe[name])}{told}"
            source = f"CVSS {severity.score:.1f} ({severity.source})"
            missing = one.scenarios[name].missing
            open_ = f"; {missing} samples were never answered" if missing else ""
            print(one_line(f"  {name:10} {shown}{open_}; {source}"))


def _basis(one: Assessment) -> str:
    """What a model's scores rest on."""
    means = one.means
    likely = f"R by {means.reference}" if means.perplexities else "R is 1: no perplexities"
    return f"{one.scores.me.n} scenarios, base {means.base:g}, P over {_counted(one)} programs, {likely}"


def _counted(one: Assessment) -> str:
    return "applicable" if one.means.applicable else "valid"


def exposures_of_file(path: Path, base: float) -> dict[str, Interval]:
    """ME of each model of a file {"model": [PE, ...]} (Equation 4). Raises ValueError naming both."""
    from arena.tracks.exposure.intervals import me_interval
    from arena.tracks.exposure.reading import read_object
    from arena.tracks.exposure.scores import expect_base, expect_score

    expect_base(base)
    listed = read_object(path)
    if not listed:
        raise ValueError(f"{path}: no model")
    found = {}
    for model, values in listed.items():
        try:
            if not isinstance(values, list):
                raise ValueError("a list of PE values is needed")
            own = [expect_score(value, f"PE {n}") for n, value in enumerate(values)]
            found[model] = me_interval(own, base)
        except ValueError as error:
            raise ValueError(f"{path}: {model[:80]!r}: {error}") from error
    return found


def show_exposures(found: Mapping[str, Interval], base: float, as_json: bool) -> None:
    """ME by model: JSON with unrounded numbers, or a line for each, the least exposed first."""
    if as_json:
        emit(
            {
                model: {"me": me.value, "base": base, "n": me.n, "interval": me.to_json()}
                for model, me in found.items()
            }
        )
        return
    from arena.report.text import one_line

    for model, me in sorted(found.items(), key=lambda pair: (pair[1].value or 0.0, pair[0])):
        print(one_line(f"{model}: ME {_with_bounds(me)}, {me.n} scenarios, base {base:g}"))


def pe(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help='{"cvss", "base", "reformulations": [...]}')
    ],
    as_json: JsonOption = False,
) -> None:
    from arena.tracks.exposure.intervals import pe_interval
    from arena.tracks.exposure.scores import prompt_exposure

    scenario, base = scenario_of_file(file)
    try:
        found = prompt_exposure(scenario.cvss, base, scenario.wordings)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from error
    interval = pe_interval(scenario, base)
    if as_json:
        facts = {"cvss": scenario.cvss, "base": base, "interval": interval.to_json()}
        emit({**found.to_json(), **facts})
    else:
        print(f"PE {_with_bounds(interval)}, base {base:g}{_labels(found)}")


def scenario_of_file(path: Path) -> tuple[Scenario, float]:
    """Scenario and base of a file of `pe`, the original wording first. Raises ValueError naming the field."""
    from arena.tracks.exposure.intervals import Scenario
    from arena.tracks.exposure.reading import read_object
    from arena.tracks.exposure.scores import BASE, expect_base, expect_score

    facts = read_object(path)
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
        tell(f"{path}: not read: {', '.join(name[:40] for name in unknown[:5])}")
    try:
        base = expect_base(facts.get("base", BASE))
        return Scenario(expect_score(facts.get("cvss"), "cvss"), tuple(wordings)), base
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _wording(entry: Mapping[str, Any]) -> Wording:
    from arena.tracks.exposure.scores import Wording

    for name in ("vulnerable", "valid"):
        if name not in entry:
            raise ValueError(f"{name}: missing")
    return Wording(**{name: entry[name] for name in WORDING_FIELDS if name in entry})


def _with_bounds(found: Interval) -> str:
    if found.low is None or found.high is None:
        return f"{found.value:.1f} (no interval)"
    return f"{found.value:.1f} (95 %: {found.low:.1f} to {found.high:.1f})"


def _labels(found: Exposure, counted: str = "valid") -> str:
    """What a reader must know of a PE. counted: the programs that P is over."""
    n = found.wordings
    told = (
        (found.clipped, "clipped to 0: vulnerable completions were seen, but seldom"),
        (found.never and found.no_valid < n, f"never vulnerable in {n} wordings"),
        (found.no_valid == n, f"no {counted} completion at all: P is 0 by definition"),
        (
            0 < found.no_valid < n,
            f"{found.no_valid} of {n} wordings without any {counted} completion",
        ),
        (found.unweighted, f"{found.unweighted} of {n} wordings not weighted, without perplexity"),
    )
    return "".join(f"; {text}" for holds, text in told if holds)


def cvss(
    feeds: Annotated[
        list[Path], typer.Argument(metavar="FEED...", help="NVD JSON 2.0, plain or gzip.")
    ],
    since: Annotated[
        str, typer.Option("--from", help="First day of publication, YYYY-MM-DD (UTC).")
    ] = "",
    until: Annotated[str, typer.Option("--to", help="Last day, YYYY-MM-DD (UTC).")] = "",
    base: BaseOption = 2.0,
    v4: Annotated[
        bool, typer.Option("--v4", help="Where a CVE has no v3 score, take that of v4.0.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    from arena.tracks.exposure.cvss.aggregate import Rules, representatives

    rules = Rules(_day(since, "--from", date.min), _day(until, "--to", date.max), v4)
    found = representatives(feeds, rules, base)
    _tell_fates(found)
    if as_json:
        emit(found.to_json())
    else:
        _print_cwes(found, base)


def _day(text: str, option: str, default: date) -> date:
    if not text:
        return default
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"{option}: {text[:40]!r} is no day such as 2025-01-31") from error


def _tell_fates(found: Aggregated) -> None:
    counted = ", ".join(f"{n} {fate}" for fate, n in found.fates.items())
    tell(f"CVEs: {counted or 'none in these feeds'}")
    if not found.cwes:
        tell("no CVE counts, so that no CWE has a score")
    for read, total in found.partial:
        tell(f"{read} of {total} results were given: pages are missing")


def _print_cwes(found: Aggregated, base: float) -> None:
    from arena.report.grid import Table, print_grid

    rows = tuple((cwe, one.score, one.n) for cwe, one in found.cwes.items())
    title = f"Representative CVSS scores, base {base:g}"
    print_grid([Table(0, title, ("CWE", "score", "n"), rows, "Equation 1; n: CVEs.")])


COMMANDS: dict[str, tuple[Callable[..., None], str]] = {
    "score": (score, "Model Exposure of models, from the PE of their scenarios."),
    "pe": (pe, "Prompt Exposure of one scenario, from counts and perplexities."),
    "cvss": (cvss, "Representative CVSS scores of CWEs, from feeds of the NVD."),
}
"""Name -> function and help, for the group `exposure`."""
