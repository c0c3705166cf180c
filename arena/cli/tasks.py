"""`arena tasks`: what a pack holds, and whether each task holds."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from arena.cli import neighbours
from arena.cli.common import (
    OK,
    UNLABELLED,
    UNMET,
    JsonOption,
    PackOption,
    SandboxOption,
    WorkersOption,
    emit,
)
from arena.report.text import one_line, visible

NAME = "tasks"
HELP = "List, show and check the tasks of a pack."

app = typer.Typer(no_args_is_help=True)


def _facts(task: Any) -> dict[str, Any]:
    spec = task.spec
    return {
        "task": spec.id,
        "title": spec.title,
        "language": spec.weakness.language,
        "cwe": list(spec.weakness.cwe),
        "repository": spec.source.repository,
        "image": spec.environment.image,
        "parser": spec.tests.parser,
        "sanitizer": spec.poc.sanitizer,
        "kind": spec.poc.signature.kind,
    }


@app.command("list", help="One line for each task.")
def list_(pack: PackOption = "starter", as_json: JsonOption = False) -> None:
    from tasks.loader import load_pack

    loaded = load_pack(pack)
    rows = [_facts(task) for task in loaded.tasks]
    if as_json:
        emit({"pack": loaded.spec.name, "version": loaded.spec.version, "tasks": rows})
        return
    from arena.report.tables import print_tasks

    print_tasks(rows)


@app.command("show", help="All facts of one task, and its instruction.")
def show(
    id_: Annotated[str, typer.Argument(metavar="ID")],
    pack: PackOption = "starter",
    as_json: JsonOption = False,
) -> None:
    from tasks.loader import load_pack

    task = load_pack(pack).task(id_)
    spec = task.spec.model_dump(mode="json", by_alias=True)
    if as_json:
        emit({**_facts(task), "spec": spec, "instruction": task.instruction, "digest": task.digest})
        return
    for section, value in spec.items():
        if isinstance(value, dict):
            print(f"[{section}]")
            for name, item in value.items():
                print(visible(f"  {name} = {item}"))
        else:
            print(visible(f"{section} = {value}"))
    print(visible(f"\n{task.instruction.strip()}"))


app.command(neighbours.NAME, help=neighbours.HELP)(neighbours.command)


@app.command(
    "check", help="Gold must grade CV, fixed C&S or CS, an empty patch NO; nothing may leak."
)
def check(
    pack: Annotated[str, typer.Argument(help="A pack's folder or name.")] = "starter",
    task: Annotated[list[str] | None, typer.Option("--task", help="Only these tasks.")] = None,
    as_json: JsonOption = False,
    sandbox: SandboxOption = "auto",
    workers: WorkersOption = 0,
    outcomes: Annotated[
        bool,
        typer.Option(
            "--write-outcomes",
            help="Write gold's outcomes, taken anew, into the pack (track repo).",
        ),
    ] = False,
) -> None:
    from tasks.loader import load_pack, load_spec

    track = load_spec(pack).track
    if track == "mutation":
        raise typer.Exit(_check_programs(pack, task or [], workers, as_json))
    if track == "dual":
        from arena.cli.dual import check_pack

        raise typer.Exit(check_pack(pack, task or [], workers, as_json))
    if track == "exposure":
        from arena.cli import exposure_check

        raise typer.Exit(exposure_check.check_pack(pack, task or [], as_json))
    from arena.cli.session import open_session
    from arena.tracks.repo.check import check_tasks
    from harness.grade.grader import Grader
    from harness.grade.ports import MemoryKeeper
    from harness.grade.verdict import Health

    loaded = load_pack(pack)
    chosen = [loaded.task(name) for name in task] if task else list(loaded.tasks)
    session = open_session(loaded, sandbox, workers=workers)
    keeper = MemoryKeeper() if outcomes else session.store
    grader = Grader(session.track.grader.backend, keeper, shipped=False)
    bad = infra = 0
    for found in check_tasks(grader, chosen, session.workers):
        if outcomes and found.ok:
            grader.ship(loaded.task(found.task))
        bad += not found.ok
        infra += found.health is Health.INFRA
        if as_json:
            emit(found.to_json())
        else:
            print(f"{'ok ' if found.ok else 'BAD'} {found.task}", flush=True)
            said = [(one, "") for one in found.problems] + [
                (one, "warning: ") for one in found.warnings
            ]
            for one, kind in said:
                print(f"      {kind}{one_line(f'{one.where}: {one.message}')}", flush=True)
    raise typer.Exit(UNLABELLED if infra else UNMET if bad else OK)


def _check_programs(pack: str, chosen: list[str], jobs: int, as_json: bool) -> int:
    """Check a pack of the track `mutation`; returns the exit code."""
    from arena.cli.mutation_session import load_usable
    from arena.cli.mutation_session import workers as at_a_time
    from arena.tracks.mutation.check import Checked, check_program
    from arena.tracks.mutation.oracle.prove import Prover
    from arena.tracks.mutation.scoring import open_bed
    from arena.tracks.mutation.tasks.program import Program
    from arena.tracks.pool import each
    from tasks.loader import TaskError, find_pack

    folder = find_pack(pack)
    data = load_usable(pack, 0)
    known = {program.id: program for program in data.programs}
    if unknown := [name for name in chosen if name not in known]:
        raise TaskError(f"{folder}: no task {unknown[0]!r}")
    bad = len(data.problems)

    def told(_: Program, found: Checked) -> None:
        if as_json:
            emit(found.to_json())
            return
        kills = f"kills {found.killed} of {found.mutants}"
        print(f"{'ok ' if found.ok else 'BAD'} {found.program}: {kills}", flush=True)
        for problem in found.problems:
            print(f"      {one_line(problem)}", flush=True)

    with open_bed(at_a_time(jobs)) as bed:
        prover = Prover(bed)
        checked = each(
            [known[name] for name in chosen] if chosen else data.programs,
            lambda program: check_program(program, folder / program.id, prover, bed),
            at_a_time(jobs),
            told,
        )
    bad += sum(not found.ok for found in checked)
    return UNMET if bad else OK
