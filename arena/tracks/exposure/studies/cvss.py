"""`arena study cvss`: representative CVSS scores of CWEs, from feeds of the NVD (Equation 1)."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import options
from arena.output import emit, print_err
from arena.tracks.exposure.studies._means import BaseOption

if TYPE_CHECKING:
    from arena.tracks.exposure.cvss.aggregate import Aggregated

HELP = "Track exposure: compute representative CVSS scores of CWEs from NVD feeds."


def command(
    feeds: Annotated[
        list[Path], typer.Argument(metavar="FEED...", help="NVD feeds, JSON 2.0, plain or gzip.")
    ],
    since: Annotated[
        str, typer.Option("--from", help="First day of publication, YYYY-MM-DD (UTC).")
    ] = "",
    until: Annotated[str, typer.Option("--to", help="Last day, YYYY-MM-DD (UTC).")] = "",
    base: BaseOption = 2.0,
    v4: Annotated[
        bool, typer.Option("--v4", help="If a CVE has no v3 score, use its v4.0 score.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    from arena.tracks.exposure.cvss.aggregate import Rules, representatives

    rules = Rules(_day(since, "--from", date.min), _day(until, "--to", date.max), v4)
    aggregated = representatives(feeds, rules, base)
    _tell_fates(aggregated)
    if as_json:
        emit(aggregated.to_json())
    else:
        _print_cwes(aggregated, base)


def _day(text: str, option: str, default: date) -> date:
    if not text:
        return default
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"{option}: {text[:40]!r} is no day such as 2025-01-31") from error


def _tell_fates(aggregated: Aggregated) -> None:
    counted = ", ".join(f"{n} {fate}" for fate, n in aggregated.fates.items())
    print_err(f"CVEs: {counted or 'none in these feeds'}")
    if not aggregated.cwes:
        print_err("no CVE counts, so that no CWE has a score")
    for read, total in aggregated.partial:
        print_err(f"{read} of {total} results were given: pages are missing")


def _print_cwes(aggregated: Aggregated, base: float) -> None:
    from arena.report.grid import Table, print_grid

    rows = tuple((cwe, item.score, item.n) for cwe, item in aggregated.cwes.items())
    title = f"Representative CVSS scores, base {base:g}"
    print_grid([Table(0, title, ("CWE", "score", "n"), rows, "Equation 1; n: CVEs.")])
