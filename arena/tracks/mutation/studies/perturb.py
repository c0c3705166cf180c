"""`arena study perturb`: perturbed programs, proven by their tests (SecMutBench, 3.1)."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import options
from arena.output import OK, UNLABELLED, emit, print_err, print_first

if TYPE_CHECKING:
    from arena.tracks.mutation.contamination.proof import ProofOutcome

HELP = "Track mutation: rewrite programs, verified by their own tests, as a dataset's JSON file."


def command(
    pack: options.Pack,
    out: Annotated[Path, typer.Option("--out", help="The JSON file to write.")],
    seed: Annotated[int, typer.Option("--seed", help="Seed; the same seed rewrites alike.")] = 0,
    cut_off: Annotated[
        int,
        typer.Option("--cve-before", help="Exclude programs with a CVE before this year; 0: none."),
    ] = 0,
    task: options.Tasks = None,
    workers: options.Workers = 0,
    as_json: options.Json = False,
) -> None:
    from arena.tracks.mutation.contamination.dates import filter_by_date
    from arena.tracks.mutation.contamination.proof import perturb_all, record_of
    from arena.tracks.mutation.runner.pool import RunnerFault
    from arena.tracks.mutation.scoring import open_bed
    from arena.tracks.mutation.studies._programs import programs_of
    from arena.tracks.pool import default_workers

    # Before the work, which takes minutes, and not when its result is written.
    if out.is_dir() or not out.absolute().parent.is_dir():
        raise ValueError(f"--out: {out}: {'a folder' if out.is_dir() else 'no such folder'}")
    dated = filter_by_date(programs_of(pack, task or ()), cut_off)
    print_first(
        "left out", [f"{id_}: names {', '.join(ids)}" for id_, ids in dated.dropped.items()]
    )
    jobs = workers or default_workers()

    def progress(outcome: ProofOutcome) -> None:
        print_err(f"{outcome.program.id}: {outcome.how or 'kept as it was'}")

    with open_bed(jobs) as runner:
        outcomes = perturb_all(dated.remaining, runner, seed, jobs, (RunnerFault,), progress)
    records = [record_of(outcome.program) for outcome in outcomes]
    _write(out, json.dumps({"seed": seed, "samples": records}, indent=1).encode() + b"\n")
    _print(outcomes, out, as_json)
    raise typer.Exit(UNLABELLED if any(outcome.health != "ok" for outcome in outcomes) else OK)


def _write(path: Path, data: bytes) -> None:
    """Write a whole file or none. Raises ValueError."""
    from tasks.writing import write_whole

    try:
        write_whole(path, data)
    except OSError as error:
        raise ValueError(f"--out: {path}: {error.strerror}") from error


def _print(outcomes: list[ProofOutcome], out: Path, as_json: bool) -> None:
    counted = Counter(outcome.how or "kept as they were" for outcome in outcomes)
    if as_json:
        emit({"out": str(out), "programs": [outcome.to_json() for outcome in outcomes]})
    else:
        progress = ", ".join(f"{n} {how}" for how, n in counted.most_common())
        print(f"{out}: {len(outcomes)} programs: {progress or 'none'}")
    print_first(
        "kept as it was",
        [f"{outcome.program.id}: {outcome.why}" for outcome in outcomes if not outcome.how],
    )
