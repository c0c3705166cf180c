"""What the commands of `arena mutation` share: programs, scoring with progress, output."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from arena.cli.common import MISTAKE, tell

if TYPE_CHECKING:
    from arena.tracks.mutation.results import SampleResult
    from arena.tracks.mutation.score import Scorer, Unit
    from arena.tracks.mutation.suites import Suites
    from arena.tracks.mutation.tasks.program import Program
    from arena.tracks.mutation.tasks.secmutbench import Dataset

TOLD_PROBLEMS = 20


def load_usable(name: str, limit: int) -> Dataset:
    """The programs, and a line for each problem. Raises TaskError; ends where no program is left."""
    from arena.tracks.mutation.tasks.pack import load_programs

    data = load_programs(name)
    tell_problems([str(problem) for problem in data.problems])
    if not data.programs:
        tell(f"arena: {name}: no usable program in it")
        raise typer.Exit(MISTAKE)
    return dataclasses.replace(data, programs=data.programs[:limit]) if limit else data


def tell_problems(problems: Sequence[str]) -> None:
    for problem in problems[:TOLD_PROBLEMS]:
        tell(f"problem: {problem}")
    if len(problems) > TOLD_PROBLEMS:
        tell(f"problems: {len(problems)} in all; the first {TOLD_PROBLEMS} are shown")


def workers(jobs: int) -> int:
    return jobs or len(os.sched_getaffinity(0))


def score_suites(
    scorer: Scorer, programs: Sequence[Program], suites: Suites, jobs: int
) -> list[SampleResult]:
    from arena.cli.counting import Counting
    from arena.tracks.mutation.score import Unit
    from arena.tracks.pool import each

    known = {program.id: program for program in programs}
    units = [Unit(known[suite.program], suite) for suite in suites.suites]

    def told(unit: Unit, found: SampleResult) -> None:
        killed = sum(mutant.killed for mutant in found.mutants)
        bar.step(f"{unit.program.id}: {found.state}, {killed} of {len(found.mutants)} killed")

    with Counting(len(units), f"score {suites.name}") as bar:
        return each(units, scorer.score, workers(jobs), told)


def spread(programs: Sequence[Program], most: int) -> Sequence[Program]:
    """At most so many programs, at even distances, always the same ones."""
    number = min(most, len(programs))
    return [programs[place * len(programs) // number] for place in range(number)]


def score_trivial(
    scorer: Scorer, programs: Sequence[Program], jobs: int
) -> dict[str, tuple[SampleResult, ...]]:
    """Results of each trivial suite; a program for which one cannot be made has none of it."""
    from arena.tracks.mutation.suites import Suite, Suites
    from arena.tracks.mutation.trivial import suites
    from arena.tracks.pool import each

    made = each(programs, lambda program: suites(program, scorer.bed), workers(jobs))
    rows: dict[str, list[Suite]] = {}
    for program, found in zip(programs, made, strict=True):
        for name, source in found.items():
            rows.setdefault(name, []).append(Suite(program.id, source))
    return {
        name: tuple(score_suites(scorer, programs, Suites(name, tuple(row)), jobs))
        for name, row in sorted(rows.items())
    }


def write_json(value: dict[str, Any], out: Path | None) -> None:
    """JSON on stdout, or in a file that is written whole or not at all."""
    if out is None or out == Path("-"):
        json.dump(value, sys.stdout)
        print()
        return
    half = out.with_name(out.name + ".half")
    half.write_text(json.dumps(value), "utf-8")
    half.replace(out)
