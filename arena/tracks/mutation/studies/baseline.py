"""`arena study baseline`: a static analyser over both versions of each program (SecMutBench, 4.4)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from arena import options
from arena.output import OK, UNLABELLED, emit, print_err

HELP = "Track mutation: run a static analyser on both versions of each program; --run: beside a run's suites."


def command(
    pack: options.Pack = "mutation",
    scanner: Annotated[
        str, typer.Option("--sast", help="bandit, a Semgrep rules folder, p/..., tool:COMMAND.")
    ] = "bandit",
    run: Annotated[
        str,
        typer.Option("--run", help="A run whose Tables 4 and 7 it is added to: its id, or latest."),
    ] = "",
    task: options.Tasks = None,
    mix_versions: options.MixVersions = False,
    as_json: options.Json = False,
) -> None:
    from arena.report.grid import print_grid
    from arena.tracks.mutation.baselines import detection, run_baseline, scanner_of
    from arena.tracks.mutation.studies._programs import programs_of
    from arena.tracks.mutation.studies._runs import lines_of_runs
    from arena.tracks.mutation.tables import overall, per_cwe

    lines = lines_of_runs([run], mix_versions)[1] if run else []
    baseline = run_baseline(scanner_of(scanner), programs_of(pack, task or ()))
    detections = detection(baseline.programs)
    for lost in baseline.failed:
        print_err(f"not scanned: {lost}")
    tables = [overall(lines, [baseline]), per_cwe(lines, [baseline])]
    if as_json:
        table_rows = [asdict(table) for table in tables]
        emit({**asdict(baseline), "detection": detections.to_json(), "tables": table_rows})
    else:
        print(
            f"{baseline.version}: {detections.detected} of {detections.n} insecure versions reported, "
            f"{detections.false_alarms} secure ones, {detections.told_apart} told apart"
        )
        print_grid(tables, wrap=True)
    raise typer.Exit(UNLABELLED if baseline.failed else OK)
