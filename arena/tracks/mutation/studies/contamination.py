"""`arena study contamination`: how alike programs are to the documents of a corpus (SecMutBench, 3.1)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import options
from arena.output import emit, print_first
from arena.report.text import one_line

if TYPE_CHECKING:
    from arena.tracks.mutation.contamination.ngrams import Audit

HELP = "Track mutation: measure the similarity of programs to a corpus; list programs that name old CVEs."


def command(
    pack: options.Pack,
    corpus: Annotated[
        Path, typer.Option("--corpus", help="The corpus: a folder, a JSONL file, or a text file.")
    ],
    threshold: Annotated[
        float, typer.Option("--threshold", help="Jaccard similarity from which a pair is reported.")
    ] = 0.3,
    size: Annotated[int, typer.Option("--size", min=1, help="Tokens per n-gram.")] = 5,
    cut_off: Annotated[
        int, typer.Option("--cve-before", help="Report programs with a CVE before this year.")
    ] = 2024,
    task: options.Tasks = None,
    as_json: options.Json = False,
) -> None:
    from arena.tracks.mutation.contamination.dates import filter_by_date
    from arena.tracks.mutation.contamination.ngrams import audit, read_corpus
    from arena.tracks.mutation.studies._programs import programs_of

    programs = programs_of(pack, task or ())
    overlaps = audit(programs, read_corpus(corpus), threshold, size)
    print_first("skipped", list(overlaps.skipped))
    if not overlaps.documents:
        raise ValueError(f"--corpus: {corpus}: no document could be read")
    old = filter_by_date(programs, cut_off).dropped
    if as_json:
        facts = {
            "documents": overlaps.documents,
            "skipped": overlaps.skipped,
            "threshold": threshold,
        }
        pairs = [vars(pair) for pair in overlaps.pairs]
        emit({**facts, "pairs": pairs, "cves": {id_: list(ids) for id_, ids in old.items()}})
        return
    _print(overlaps, len(programs), threshold)
    for id_, ids in old.items():
        print(one_line(f"{id_}: names {', '.join(ids)}"))


def _print(audit: Audit, programs: int, threshold: float) -> None:
    for pair in audit.pairs:
        alike = f"{pair.jaccard:.3f} ({pair.contained:.0%} of it)"
        print(one_line(f"{alike} {pair.program} {pair.version} {pair.document}"))
    hit = len({pair.program for pair in audit.pairs})
    message = f"{hit} of {programs} programs at or above {threshold:g}"
    print(f"{message}, against {audit.documents} documents; {len(audit.skipped)} skipped")
