"""`arena study mutants`: our operators' mutants of programs, each with its proof, and which of them count."""

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
        bool, typer.Option("--all", help="Include mutants that do not count; `left` says why.")
    ] = False,
    by_variant: Annotated[
        bool,
        typer.Option("--by-variant", help="How many mutants of each operator's variants count."),
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

    def progress(program: Program, mutants: list[ProvenMutant]) -> None:
        line = f"{program.id}: {len(mutants)} mutants: {_format_tally(mutants)}"
        # Standard output holds nothing but the result where a program may read it.
        print_err(line) if as_json or by_variant else print(line, flush=True)

    with open_bed(jobs) as runner:
        prover = Prover(runner)
        proven = each(programs, lambda program: prove_all(program, prover, store), jobs, progress)
    all_ = [mutant for proven_programs in proven for mutant in proven_programs]
    if by_variant:
        _print_yield(_count_by_variant(all_), as_json)
    elif not as_json:
        print(f"{len(all_)} mutants: {_format_tally(all_)}")
    else:
        proven_programs = zip(programs, proven, strict=True)
        emit(
            {
                "samples": [
                    _to_dict(program, proven_mutants, unproven)
                    for program, proven_mutants in proven_programs
                ]
            }
        )


def _count_by_variant(mutants: Sequence[ProvenMutant]) -> dict[str, tuple[int, int]]:
    """Every variant of every operator, as "PSQLI:percent" -> mutants, and how many of them count."""
    from arena.tracks.mutation.operators import all_operators

    yields = {
        # All of them: a variant that never applies is what this list is to show.
        f"{operator.name}:{v}": (0, 0)
        for operator in all_operators()
        for v in operator.variants
    }
    for proven in mutants:
        variant = f"{proven.mutant.operator}:{proven.mutant.variant}"
        mutant_count, counted = yields.get(variant, (0, 0))
        yields[variant] = (mutant_count + 1, counted + (not proven.left))
    return yields


def _print_yield(yields: dict[str, tuple[int, int]], as_json: bool) -> None:
    if as_json:
        emit(
            {
                name: {"mutants": mutant_count, "count": counted}
                for name, (mutant_count, counted) in yields.items()
            }
        )
        return
    for name, (mutant_count, counted) in sorted(
        yields.items(), key=lambda item: (item[1][1], item[0])
    ):
        print(f"{counted:5} of {mutant_count:5} count  {name}")


def _format_tally(mutants: Sequence[ProvenMutant]) -> str:
    from arena.tracks.mutation.proven import tally

    return ", ".join(f"{number} {name}" for name, number in tally(mutants).items()) or "none"


def _to_dict(program: Program, mutants: Sequence[ProvenMutant], unproven: bool) -> dict[str, Any]:
    from arena.tracks.mutation.proven import tally

    return {
        "id": program.id,
        "cwe": program.cwe,
        "mutants": [m.to_json() for m in mutants if unproven or not m.left],
        "tally": tally(mutants),
    }
