"""`arena study mutants`: our operators' mutants of programs, each with the proof that it is weak."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena import options
from arena.output import emit, print_err

if TYPE_CHECKING:
    from arena.tracks.mutation.proven import ProvenMutant
    from arena.tracks.mutation.tasks.program import Program

HELP = "Track mutation: list our operators' mutants, each with its proof of weakness; --json has their code."


def command(
    pack: options.Pack = "mutation",
    task: options.Tasks = None,
    unproven: Annotated[
        bool, typer.Option("--all", help="Include mutants without an exploit; their oracle is {}.")
    ] = False,
    workers: options.Workers = 0,
    as_json: options.Json = False,
) -> None:
    from arena.store.store import Store
    from arena.tracks.mutation.oracle.prove import Prover
    from arena.tracks.mutation.proven import prove_all
    from arena.tracks.mutation.scoring import open_bed
    from arena.tracks.mutation.studies._programs import programs_of
    from arena.tracks.pool import default_workers, each

    programs, store, jobs = programs_of(pack, task or ()), Store(), workers or default_workers()

    def progress(program: Program, found: list[ProvenMutant]) -> None:
        proven = sum(bool(mutant.oracle) for mutant in found)
        line = f"{program.id}: {len(found)} mutants, {proven} proven weak"
        print_err(line) if as_json else print(line, flush=True)

    with open_bed(jobs) as runner:
        prover = Prover(runner)
        made = each(programs, lambda one: prove_all(one, prover, store), jobs, progress)
    if as_json:
        found = zip(programs, made, strict=True)
        emit({"samples": [_to_dict(program, own, unproven) for program, own in found]})


def _to_dict(program: Program, found: Sequence[ProvenMutant], unproven: bool) -> dict[str, Any]:
    return {
        "id": program.id,
        "cwe": program.cwe,
        "mutants": [m.to_json() for m in found if m.oracle or unproven],
        "unproven": sum(not m.oracle for m in found),
    }
