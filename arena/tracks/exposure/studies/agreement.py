"""`arena study agreement`: how far detectors agree on the same programs, and with labels of people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena import options
from arena.output import emit, print_err
from arena.tracks.exposure.studies._programs import (
    RuleOption,
    ScenarioOption,
    WithOption,
    print_notes,
    rules_for,
    sources_of,
    tools_for,
    weakness_for,
)

if TYPE_CHECKING:
    from arena.report.statistics import Interval
    from arena.tracks.exposure.agreement import Agreement, Labelled, VerdictTable
    from arena.tracks.exposure.tools._panel import Examination
    from arena.tracks.exposure.tools._tool import Rules, Tool

HELP = "Track exposure: measure the agreement of our detectors, other tools and people."
LISTED = 50


def command(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Programs of a scenario, or folders (all *.py).")
    ] = None,
    scenario: ScenarioOption = "",
    run: Annotated[
        str,
        typer.Option(
            "--run", help="Use the programs of a run instead of files: its id, or latest."
        ),
    ] = "",
    tools: WithOption = None,
    rules: RuleOption = None,
    labels: Annotated[
        Path | None, typer.Option("--labels", help="Human labels: file, verdict.")
    ] = None,
    pack: options.Pack = "exposure",
    store: options.StoreAt = "",
    as_json: options.Json = False,
) -> None:
    """A program of a run goes by its attempt's id, or by SCENARIO/WORDING/REPLICATE.py."""
    from arena.tracks.exposure.agreement import against_labels, agreements, load_labels

    if not tools and labels is None:
        raise ValueError("--with: name a tool to compare with, or --labels of people")
    label_table = None if labels is None else load_labels(labels)
    result, table = tools_for(tools or ()), rules_for(rules or ())
    if not run:
        examination = _examine_files(files or [], scenario, pack, result, table)
    elif files or scenario:
        raise ValueError("--run: takes no FILE and no --task")
    else:
        examination = _examined_run(run, store, result, table)
    if not examination.programs:
        raise ValueError("FILE: there is no program in what was named")
    detectors = list(examination.versions)
    pairs = agreements(examination.programs, detectors)
    rated = (
        None
        if label_table is None
        else against_labels(examination.programs, detectors, label_table)
    )
    # All labels are about something else: most likely the names are written in another way.
    if rated is not None and label_table is not None and len(rated.unknown) == len(label_table):
        raise ValueError(f"--labels: {labels}: no label is about a program that was named")
    unscanned = _list_unscanned(examination)
    _warn(examination, unscanned, rated)
    if as_json:
        emit(_as_json(examination, unscanned, pairs, rated))
    else:
        _print(pairs, rated)


def _examine_files(
    files: Sequence[Path], scenario: str, pack: str, tools: Mapping[str, Tool], rules: Rules
) -> Examination:
    from arena.tracks.exposure.tools._panel import examine

    if not files:
        raise ValueError("FILE: name programs of a --task, or a --run")
    return examine(sources_of(files, scenario, weakness_for(scenario, "", pack)), tools, rules)


def _examined_run(run: str, where: str, tools: Mapping[str, Tool], rules: Rules) -> Examination:
    from arena.store.known import known_store
    from arena.tracks.exposure.tools import _attempts

    store = known_store(where)
    attempts = store.attempts(store.run(run).id)
    return _attempts.examine_attempts(attempts, store.blob, tools, rules)


def _list_unscanned(examination: Examination) -> dict[str, dict[str, str]]:
    """Detector -> file -> why it could not look."""
    from arena.tracks.exposure.tools._panel import UNSCANNED

    return {
        name: {
            program.program.label: program.opinions[name].why
            for program in examination.programs
            if program.opinions[name].verdict == UNSCANNED
        }
        for name in examination.versions
    }


def _warn(
    examination: Examination, unscanned: Mapping[str, Mapping[str, str]], rated: Labelled | None
) -> None:
    print_notes(examination)
    for name, files in unscanned.items():
        reasons = Counter(files.values())
        for why, n in reasons.most_common(10):
            print_err(f"{name}: {n} of {len(examination.programs)} programs unscanned: {why}")
    if rated is not None and rated.unknown:
        print_err(
            f"labels about files that are not there: {len(rated.unknown)}: {rated.unknown[0]}"
        )
    if rated is not None and rated.untold:
        print_err(f"left out: {rated.untold} labels that say invalid, or nothing")


def _as_json(
    examination: Examination,
    unscanned: Mapping[str, Mapping[str, str]],
    pairs: Sequence[Agreement],
    rated: Labelled | None,
) -> dict[str, Any]:
    verdicts = {
        name: dict(Counter(str(program.opinions[name].verdict) for program in examination.programs))
        for name in examination.versions
    }
    return {
        "programs": len(examination.programs),
        "detectors": dict(examination.versions),
        "verdicts": verdicts,
        "unscanned": {name: dict(files) for name, files in unscanned.items()},
        "pairs": [pair.to_json() for pair in pairs],
        "labels": None if rated is None else rated.to_json(),
    }


def _print(pairs: Sequence[Agreement], rated: Labelled | None) -> None:
    from arena.report.grid import Table, print_grid
    from arena.report.text import one_line

    for pair in pairs:
        rows = [_row(name or "programs", shared) for name, shared in pair.scenarios.items()]
        if len(rows) != 1:
            rows.append(_row("all", pair.total))
        columns = ("scenario", "both", f"only {pair.first}", f"only {pair.second}", "neither", "n")
        left = ", ".join(f"{n} {why}" for why, n in pair.left_out.items()) or "none"
        note = f"Programs that are said to be vulnerable. Agreement in percent. Left out: {left}."
        title = f"{pair.first} and {pair.second}"
        shares = ("agreement", "95 %", "kappa")
        print_grid([Table(0, title, (*columns, *shares), tuple(rows), note)])
        for difference in pair.differ[:LISTED]:
            print(one_line(difference.file))
            for name, answer in ((pair.first, difference.first), (pair.second, difference.second)):
                where = f" in line {answer.line}" if answer.line else ""
                print("    " + one_line(f"{name}: {answer.verdict}{where}: {answer.why}"))
        if len(pair.differ) > LISTED:
            print(f"and {len(pair.differ) - LISTED} more; --json lists all")
    if rated is not None:
        _print_labels(rated)


def _row(name: str, shared: VerdictTable) -> tuple[Any, ...]:
    counts = (shared.both, shared.only_one, shared.only_other, shared.neither, shared.n)
    return (name, *counts, *_cells(shared.agreement), _kappa(shared.kappa))


def _print_labels(rated: Labelled) -> None:
    from arena.report.grid import Table, print_grid

    rows = []
    for name, detector in rated.detectors.items():
        scores = detector.scores
        cells = (*_cells(scores.precision), *_cells(scores.recall), *_cells(scores.f1))
        counts = (scores.hits, scores.false_alarms, scores.misses, scores.rejections)
        rows.append((name, *cells, *counts, detector.left_out, _kappa(detector.kappa)))
    shares = ("precision", "95 %", "recall", "95 %", "F1", "95 %")
    columns = ("detector", *shares, "tp", "fp", "fn", "tn", "left out", "kappa")
    note = "In percent. Precision and recall: Wilson's intervals; F1: bootstrap over labels."
    print_grid([Table(0, "Against people's labels", columns, tuple(rows), note)])


def _cells(interval: Interval) -> tuple[float | None, str | None]:
    value = None if interval.value is None else 100 * interval.value
    if interval.low is None or interval.high is None:
        return value, None
    return value, f"{100 * interval.low:.1f}-{100 * interval.high:.1f}"


def _kappa(kappa: float | None) -> str | None:
    return None if kappa is None else f"{kappa:.3f}"
