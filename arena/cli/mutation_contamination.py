"""`arena mutation perturb|audit`: programs written otherwise, and how alike they are to a corpus."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.common import MISTAKE, OK, UNLABELLED, JsonOption, emit, tell
from arena.cli.mutation_session import load_usable, tell_problems, workers
from arena.report.text import one_line

if TYPE_CHECKING:
    from arena.tracks.mutation.contamination.ngrams import Audit
    from arena.tracks.mutation.contamination.proof import Outcome

DatasetOption = Annotated[
    str, typer.Option("--dataset", help="A dataset's JSON file, or a pack's folder or name.")
]
LimitOption = Annotated[
    int, typer.Option("--limit", min=0, help="Only the first N programs; 0: all.")
]


def expect_writable(path: Path) -> None:
    """Raise ValueError before anything is spent on what could not be written."""
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise ValueError(f"--out: {path}: {'a folder' if path.is_dir() else 'no such folder'}")


def write_out(path: Path, data: bytes) -> None:
    """Write a whole file or none. Raises ValueError."""
    from tasks.writing import write_whole

    try:
        write_whole(path, data)
    except OSError as error:
        raise ValueError(f"--out: {path}: {error.strerror}") from error


def perturb(
    dataset: DatasetOption,
    out: Annotated[Path, typer.Option("--out", help="The JSON file to write.")],
    seed: Annotated[int, typer.Option("--seed")] = 0,
    cut_off: Annotated[
        int, typer.Option("--cve-before", help="Leave out programs with an older CVE; 0: none.")
    ] = 0,
    jobs: Annotated[int, typer.Option("--jobs", min=0, help="Runs at a time; 0: one a CPU.")] = 0,
    limit: LimitOption = 0,
    as_json: JsonOption = False,
) -> None:
    from arena.cli.counting import Counting
    from arena.tracks.mutation.contamination.dates import by_date
    from arena.tracks.mutation.contamination.proof import perturb_all, record_of
    from arena.tracks.mutation.runner.bed import TestbedFault
    from arena.tracks.mutation.scoring import open_bed

    expect_writable(out)
    dated = by_date(load_usable(dataset, limit).programs, cut_off)
    tell_problems([f"{id_}: left out: {', '.join(ids)}" for id_, ids in dated.dropped.items()])

    def told(outcome: Outcome) -> None:
        bar.step(f"{outcome.program.id}: {outcome.how or 'kept as it was'}")

    with open_bed(workers(jobs)) as bed, Counting(len(dated.kept), "perturb") as bar:
        found = perturb_all(dated.kept, bed, seed, workers(jobs), (TestbedFault,), told)
    records = [record_of(outcome.program) for outcome in found]
    write_out(out, json.dumps({"seed": seed, "samples": records}, indent=1).encode() + b"\n")
    _show_perturbed(found, out, as_json)
    raise typer.Exit(UNLABELLED if any(one.health != "ok" for one in found) else OK)


def _show_perturbed(found: list[Outcome], out: Path, as_json: bool) -> None:
    counted = Counter(one.how or "kept as they were" for one in found)
    if as_json:
        emit({"out": str(out), "programs": [one.to_json() for one in found]})
    else:
        told = ", ".join(f"{n} {how}" for how, n in counted.most_common())
        print(f"{out}: {len(found)} programs: {told or 'none'}")
    tell_problems([f"{one.program.id}: kept as it was: {one.why}" for one in found if not one.how])


def audit(
    dataset: DatasetOption,
    corpus: Annotated[Path, typer.Option("--corpus", help="A folder, a JSONL file, or a file.")],
    threshold: Annotated[float, typer.Option("--threshold", help="Jaccard similarity.")] = 0.3,
    size: Annotated[int, typer.Option("--size", min=1, help="Tokens of an n-gram.")] = 5,
    cut_off: Annotated[int, typer.Option("--cve-before", help="Year of the date filter.")] = 2024,
    limit: LimitOption = 0,
    as_json: JsonOption = False,
) -> None:
    from arena.tracks.mutation.contamination.dates import by_date
    from arena.tracks.mutation.contamination.ngrams import audit as compared
    from arena.tracks.mutation.contamination.ngrams import read_corpus

    programs = load_usable(dataset, limit).programs
    found = compared(programs, read_corpus(corpus), threshold, size)
    old = by_date(programs, cut_off).dropped
    if as_json:
        facts = {"documents": found.documents, "skipped": found.skipped, "threshold": threshold}
        pairs = [vars(pair) for pair in found.pairs]
        emit({**facts, "pairs": pairs, "cves": {id_: list(ids) for id_, ids in old.items()}})
    else:
        _show_audit(found, len(programs), threshold)
        for id_, ids in old.items():
            print(one_line(f"{id_}: names {', '.join(ids)}"))
    tell_problems([f"skipped: {why}" for why in found.skipped])
    if not found.documents:
        tell(f"arena: --corpus: {corpus}: no document could be read")
        raise typer.Exit(MISTAKE)
    raise typer.Exit(OK)


def _show_audit(found: Audit, programs: int, threshold: float) -> None:
    for pair in found.pairs:
        alike = f"{pair.jaccard:.3f} ({pair.contained:.0%} of it)"
        print(one_line(f"{alike} {pair.program} {pair.version} {pair.document}"))
    hit = len({pair.program for pair in found.pairs})
    told = f"{hit} of {programs} programs at or above {threshold:g}"
    print(f"{told}, against {found.documents} documents; {len(found.skipped)} skipped")
