"""`arena study validate`: executor and oracles against what people say, and templates for their labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena import options
from arena.output import emit, print_err

if TYPE_CHECKING:
    from arena.report.ratings import RatedScores
    from arena.report.statistics import Interval
    from arena.tracks.dual.results import SampleResult
    from arena.tracks.dual.validation import Agreed, Validation

HELP = "Track dual: compare executor and verdicts with human labels: precision, recall, F1."
TRACK = "dual"


def command(
    run: Annotated[str, typer.Argument(help="A run's id, a sweep's name, or latest.")],
    labels: Annotated[
        Path | None, typer.Option("--labels", help="Human labels: JSONL, JSON or CSV.")
    ] = None,
    number: Annotated[
        int,
        typer.Option("--sample", min=0, help="Instead, write a template for labelling N tasks."),
    ] = 0,
    out: Annotated[
        Path | None, typer.Option("--out", help="The file to write (.jsonl or .csv).")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed for --sample.")] = 20_260,
    store: options.StoreAt = "",
    mix_versions: options.MixVersions = False,
    as_json: options.Json = False,
) -> None:
    """A sample is named by its attempt's id: `arena show ID --print patch` prints the program."""
    from arena.tracks.dual import validation
    from tasks.writing import write_whole

    if (labels is None) == (number == 0):
        raise ValueError("--labels: give labels, or --sample N to draw what is to be labelled")
    samples = _samples(run, store, mix_versions)
    if labels is None:
        if out is None:
            raise ValueError("--out: needed with --sample")
        rows = validation.sample_for_labels(samples, number, seed)
        try:
            write_whole(out, validation.write_template(rows, out.suffix == ".csv").encode())
        except OSError as error:
            raise ValueError(f"--out: {out}: {error.strerror}") from error
        print_err(f"wrote {out}: {len(rows)} of {number} tasks to be labelled, verdicts left empty")
        return
    human_labels = validation.load_labels(labels)
    result = validation.validate(samples, human_labels)
    if len(result.unknown) == len(human_labels):
        raise ValueError(f"--labels: {labels}: no label is about a test of {run}")
    _warn(result)
    if as_json:
        emit(result.to_json())
    else:
        _print(result)


def _samples(run: str, store: str, mix_versions: bool) -> list[SampleResult]:
    from arena.report.provenance import warn_of_mixing
    from arena.store.known import known_store
    from arena.tracks.dual.evidence import rows_of

    opened = known_store(store)
    results = opened.run(run)
    if results.track != TRACK:
        raise ValueError(f"run {results.id}: is of the track {results.track}, not of {TRACK}")
    warn_of_mixing(opened.rows([results.id]), mix_versions, print_err)
    facts = opened.tasks(results.id)
    return rows_of(opened.attempts(results.id), facts, lambda attempt: attempt.id)


def _warn(validation: Validation) -> None:
    from arena.tracks.dual.tables import some

    if validation.unknown:
        print_err(
            f"labels about tests that are not there: {len(validation.unknown)}: {some(validation.unknown)}"
        )
    counts = {
        "labels that say nothing": validation.untold,
        "labels about samples without a verdict": validation.infra,
        "labels about tests that nothing could judge": validation.unjudged,
    }
    for what, number in counts.items():
        if number:
            print_err(f"left out: {number} {what}")


def _print(validation: Validation) -> None:
    from arena.report.grid import Table, print_grid

    rows = [("executor: runs", *_cells(validation.executor), None)]
    rows += _both("evaluator", validation.evaluator)
    for group, agreed in validation.by.items():
        for name, agreement in agreed.items():
            rows += _both(f"{group} {name}", agreement)
    rows += _both("judge against deterministic", validation.judge)
    columns = ("component: class", "precision", "95 %", "recall", "95 %", "F1", "95 %")
    counts = ("tp", "fp", "fn", "tn", "n", "kappa")
    note = "In percent. Precision and recall: Wilson's intervals; F1: bootstrap over labels."
    print_grid([Table(2, "Against people's labels", (*columns, *counts), tuple(rows), note)])


def _both(name: str, agreed: Agreed) -> list[tuple[Any, ...]]:
    kappa = None if agreed.kappa is None else f"{agreed.kappa:.3f}"
    return [
        (f"{name}: pass", *_cells(agreed.passing), kappa),
        (f"{name}: fail", *_cells(agreed.failing), kappa),
    ]


def _cells(scores: RatedScores) -> tuple[Any, ...]:
    cells: list[Any] = []
    for interval in (scores.precision, scores.recall, scores.f1):
        cells += [None if interval.value is None else 100 * interval.value, _span(interval)]
    return (*cells, scores.hits, scores.false_alarms, scores.misses, scores.rejections, scores.n)


def _span(interval: Interval) -> str | None:
    if interval.low is None or interval.high is None:
        return None
    return f"{100 * interval.low:.1f}-{100 * interval.high:.1f}"
