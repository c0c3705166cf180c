"""`arena mutation`: do security tests kill security mutants, and for the right reason?"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli import mutation_report
from arena.cli.common import OK, UNLABELLED, JsonOption, emit, tell
from arena.cli.mutation_session import (
    load_usable,
    score_suites,
    score_trivial,
    spread,
    tell_problems,
    workers,
    write_json,
)

if TYPE_CHECKING:
    from arena.tracks.mutation.results import Result

NAME = "mutation"
HELP = "Security tests against security mutants: score, mutate, report."

DatasetOption = Annotated[
    str, typer.Option("--dataset", help="A dataset's JSON file, or a pack's folder or name.")
]
OutOption = Annotated[
    Path | None, typer.Option("--json", help="Write the result here; - for stdout.")
]
JobsOption = Annotated[int, typer.Option("--jobs", min=0, help="Runs at a time; 0: one a CPU.")]
LimitOption = Annotated[
    int, typer.Option("--limit", min=0, help="Only the first N programs; 0: all.")
]

app = typer.Typer(no_args_is_help=True)


@app.callback()
def group() -> None:
    """Security tests against security mutants."""


app.command("report", help="Results as tables, HTML, CSV or JSON.")(mutation_report.report)
app.command("compare", help="Two results, program by program.")(mutation_report.compare)
app.command("show", help="One suite with its kills and their evidence.")(mutation_report.show)
app.command("baseline", help="A static analyser over both versions of each program.")(
    mutation_report.baseline
)


@app.command("score", help="Run suites on programs and mutants, and classify the kills.")
def score(
    dataset: DatasetOption = "mutation",
    tests: Annotated[
        str, typer.Option("--tests", help="reference, a folder of <id>.py, or a JSONL file.")
    ] = "reference",
    classifier: Annotated[
        str, typer.Option("--classifier", help="behaviour, paper, or module:attribute.")
    ] = "behaviour",
    mutants: Annotated[
        str, typer.Option("--mutants", help="stored or ours; default: stored where there are any.")
    ] = "",
    out: OutOption = None,
    jobs: JobsOption = 0,
    limit: LimitOption = 0,
    name: Annotated[str, typer.Option("--name", help="What the rows are called.")] = "",
    trivial: Annotated[
        int,
        typer.Option("--trivial", min=0, help="Programs for the trivial suites' rows; 0: none."),
    ] = 20,
) -> None:
    from arena.store.store import Store
    from arena.tracks.mutation.results import Result
    from arena.tracks.mutation.scoring import kind_of_mutants, make_scorer, open_bed
    from arena.tracks.mutation.suites import load_suites

    started = time.monotonic()
    data = load_usable(dataset, limit)
    suites = load_suites(tests, data.programs)
    tell_problems(suites.problems)
    kind = kind_of_mutants(mutants, data.programs)
    store = Store()
    with open_bed(workers(jobs)) as bed:
        scorer = make_scorer(bed, classifier, kind, store)
        found = score_suites(scorer, data.programs, suites, jobs)
        others = score_trivial(scorer, spread(data.programs, trivial), jobs)
    result = Result(
        name=name or suites.name,
        dataset=data.name,
        tests=tests,
        classifier=classifier,
        mutants=kind,
        seconds=time.monotonic() - started,
        cpu=bed.cpu,
        runs=bed.runs,
        samples=tuple(found),
        trivial=others,
        problems=(*map(str, data.problems), *suites.problems),
    )
    _show(result, out)
    infra = any(s.health != "ok" for s in (*found, *(s for row in others.values() for s in row)))
    raise typer.Exit(UNLABELLED if infra else OK)


@app.command("import", help="Turn a dataset's JSON file into a pack.")
def import_(
    dataset: Annotated[Path, typer.Argument(help="A JSON file in SecMutBench's form.")],
    out: Annotated[Path, typer.Option("--out", help="The pack's folder, to be made.")],
    name: Annotated[str, typer.Option("--name", help="The pack's name.")] = "",
    licence: Annotated[str, typer.Option("--licence", help="The dataset's licence.")] = "unknown",
) -> None:
    from arena.tracks.mutation.tasks.pack import write_pack
    from arena.tracks.mutation.tasks.secmutbench import load_dataset

    data = load_dataset(dataset)
    named = name or out.resolve().name
    problems = (*data.problems, *write_pack(out, data, named, "1", licence))
    tell_problems([str(problem) for problem in problems])
    lost = {p.record for p in problems if p.excluded == "program"}
    tell(f"{out}: {len(data.programs)} programs read, {len(lost)} records left out")
    raise typer.Exit(OK)


@app.command("operators", help="The mutation operators, with their CWEs and examples.")
def operators(as_json: JsonOption = False) -> None:
    from arena.tracks.mutation.operators import all_operators

    if as_json:
        emit([_described(operator) for operator in all_operators()])
        return
    for operator in all_operators():
        print(f"{operator.name:14} {', '.join(operator.cwes)}: {operator.title}")
        print(f"{'':14} {', '.join(operator.variants)}")


@app.command("mutate", help="Write our operators' mutants, each with the proof that it is weak.")
def mutate(
    dataset: DatasetOption = "mutation",
    out: OutOption = None,
    jobs: JobsOption = 0,
    limit: LimitOption = 0,
    unproven: Annotated[
        bool, typer.Option("--all", help="Also those without an exploit; their oracle is {}.")
    ] = False,
) -> None:
    from arena.cli.counting import Counting
    from arena.store.store import Store
    from arena.tracks.mutation.oracle.prove import Prover
    from arena.tracks.mutation.proven import prove_all
    from arena.tracks.mutation.scoring import open_bed
    from arena.tracks.pool import each

    data = load_usable(dataset, limit)
    store = Store()
    with open_bed(workers(jobs)) as bed, Counting(len(data.programs), "mutate") as bar:
        prover = Prover(bed)
        made = each(
            data.programs,
            lambda program: prove_all(program, prover, store),
            workers(jobs),
            lambda program, found: bar.step(f"{program.id}: {len(found)} mutants"),
        )
    samples = [
        {
            "id": program.id,
            "cwe": program.cwe,
            "mutants": [m.to_json() for m in found if m.oracle or unproven],
            "unproven": sum(not m.oracle for m in found),
        }
        for program, found in zip(data.programs, made, strict=True)
    ]
    proven = sum(bool(m.oracle) for found in made for m in found)
    total = sum(map(len, made))
    summary = {"programs": len(samples), "mutants": total, "proven": proven}
    write_json({"summary": summary, "samples": samples}, out)
    tell(f"{len(samples)} programs: {total} mutants, {proven} proven weak")


def _described(operator: Any) -> dict[str, Any]:
    """An operator without what is code."""
    return {
        "name": operator.name,
        "title": operator.title,
        "cwes": list(operator.cwes),
        "variants": list(operator.variants),
        "alternatives": list(operator.alternatives),
        "witnesses": list(operator.witnesses),
        "terms": list(operator.paper.terms),
        "watched": {area: list(names) for area, names in operator.watched.items()},
        "examples": [vars(example) for example in operator.examples],
    }


def _show(result: Result, out: Path | None) -> None:
    from arena.tracks.mutation.intervals import result_json
    from arena.tracks.mutation.metrics import states
    from arena.tracks.mutation.views import print_tables

    if out != Path("-"):
        print_tables([result], [], (4, 5))
    counted = ", ".join(f"{number} {state}" for state, number in states(result.samples).items())
    tell(f"suites: {counted}; {result.runs} runs, {result.cpu:.1f} s of CPU in them")
    if out is not None:
        write_json(result_json(result), out)
