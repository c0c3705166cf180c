"""`arena tasks`: what a pack holds, and whether each task holds."""

from __future__ import annotations

import json
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena import options
from arena.cli import diffs, neighbours, other_values
from arena.cli.common import OK, UNLABELLED, UNMET, emit, open_session, print_err
from arena.cli.task_prompt import AgentOption, PromptOption, print_sent
from arena.report.text import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from arena.protocols import Checked, Track
    from arena.store.store import Store
    from tasks.loader import Task


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


@contextmanager
def _other_track(pack: str) -> Iterator[Track | None]:
    """The track of a pack; None for `repo`, whose tasks are listed with all their facts."""
    from arena.protocols import Setup
    from arena.tracks.opening import open_track, track_of
    from harness.grade.ports import MemoryCache

    name = track_of(pack)
    if name == "repo":
        yield None
        return
    # A cache in memory: listing must not write into the user's store.
    with closing(open_track(Setup(name, pack), MemoryCache(), print_err)) as track:
        yield track


def _oracle_counts(task: Task) -> dict[str, dict[str, int]]:
    """The numbers of a task's neighbours of the PoC and of alternative values for its tests."""
    around, values = task.neighbours, task.other_values
    return {
        "neighbours": {"crashing": len(around.crashing), "harmless": len(around.harmless)}
        if around
        else {},
        "other_values": values.counts() if values else {},
    }


def _list_facts(track: Track, as_json: bool) -> None:
    from arena.report.grid import Table, print_grid

    facts = [vars(fact) for fact in track.describe(())]
    columns = ("task", "title", "language", "domain", "cwes")
    if as_json:
        emit({"pack": track.pack_name, "tasks": facts})
        return
    rows = [(*(fact[name] for name in columns[:-1]), " ".join(fact["cwes"])) for fact in facts]
    print_grid([Table(0, track.pack_name, columns, tuple(rows))])


def _show_facts(track: Track, id_: str, as_json: bool) -> None:
    """Print the facts of a task from the track: by its method `show`, or else those that reports need."""
    # `show` is no part of the protocol of tracks: not each track has more than the facts.
    show = getattr(track, "show", None)
    facts = show(id_) if show else vars(track.describe([id_])[0])
    if as_json:
        emit(facts)
        return
    for name, value in facts.items():
        # A list has a line for each item.
        for item in value if isinstance(value, list) else [value]:
            print(visible(f"{name} = {item}"))


@app.command("list", help="List the tasks, one line each.")
def list_(pack: options.Pack = "starter", as_json: options.Json = False) -> None:
    from tasks.loader import load_pack

    with _other_track(pack) as track:
        if track is not None:
            _list_facts(track, as_json)
            return
    loaded = load_pack(pack)
    rows: list[dict[str, Any]] = [_facts(task) for task in loaded.tasks]
    if as_json:
        emit({"pack": loaded.spec.name, "version": loaded.spec.version, "tasks": rows})
        return
    from arena.report.tables import print_tasks

    # A row's own `kind` is that of the sanitizer's report.
    kinds = {task.id: str(task.kind) for task in loaded.tasks}
    print_tasks([{**row, "asks": kinds[row["task"]]} for row in rows])


@app.command("show", help="Show one task: what the agent sees, and the oracle.")
def show(
    id_: Annotated[str, typer.Argument(metavar="ID", help="A task's id.")],
    pack: options.Pack = "starter",
    prompt: PromptOption = "",
    agent: AgentOption = "",
    as_json: options.Json = False,
) -> None:
    from tasks.loader import load_pack

    with _other_track(pack) as track:
        if track is not None:
            if prompt or agent:
                raise ValueError("--prompt, --agent: are for packs of the track repo")
            _show_facts(track, id_, as_json)
            return
    task = load_pack(pack).task(id_)
    if prompt or agent:
        print_sent(task, prompt, agent, as_json)
        return
    spec = task.spec.model_dump(mode="json", by_alias=True)
    if as_json:
        output = {"spec": spec, "instruction": task.instruction, "digest": task.digest}
        emit({**_facts(task), **output, "oracle": _oracle_counts(task)})
        return
    print("The agent sees\n")
    print(visible(f"{task.instruction.strip()}\n"))
    visible_part, oracle = _divide_spec(spec)
    _print_sections(visible_part)
    print("\nThe oracle (no agent sees it)\n")
    _print_sections(oracle)
    for name, counts in _oracle_counts(task).items():
        print(f"{name} = {json.dumps(counts) if counts else 'none'}")


# Of a task's description, what shows in the agent's sandbox, by section.
AGENT_FIELDS = {
    "source": ("repository",),
    "environment": ("image", "workdir", "build"),
    "limits": ("cpus", "memory", "pids", "disk"),
}


def _divide_spec(spec: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields of a task's description that the agent's sandbox shows, and all others."""
    shown: dict[str, Any] = {}
    hidden: dict[str, Any] = {}
    for section, value in spec.items():
        fields = AGENT_FIELDS.get(section, ())
        if not isinstance(value, dict):
            hidden[section] = value
            continue
        if fields:
            shown[section] = {name: item for name, item in value.items() if name in fields}
        # Anything that is not named in AGENT_FIELDS counts as hidden, also a field that is added later.
        if rest := {name: item for name, item in value.items() if name not in fields}:
            hidden[section] = rest
    return shown, hidden


def _print_sections(spec: Mapping[str, Any]) -> None:
    """The fields of a task's description, values as JSON."""
    for section, value in spec.items():
        if not isinstance(value, dict):
            print(visible(f"{section} = {json.dumps(value, ensure_ascii=False)}"))
            continue
        print(f"[{section}]")
        for name, item in value.items():
            print(visible(f"  {name} = {json.dumps(item, ensure_ascii=False)}"))


app.command(neighbours.NAME, help=neighbours.HELP)(neighbours.command)
app.command(other_values.NAME, help=other_values.HELP)(other_values.command)
app.command(diffs.NAME, help=diffs.HELP)(diffs.command)


@app.command(
    "new",
    help="Write the skeleton of a task: every file, and what belongs into it.\n\n"
    "With a clone and two commits: its history, commits, language and patches as well.",
)
def new(
    folder: Annotated[Path, typer.Argument(metavar="PACK/ID", help="The folder of the new task.")],
    repository: Annotated[
        Path | None, typer.Option("--repository", help="A clone with the whole history.")
    ] = None,
    vic: Annotated[str, typer.Option("--vic", help="The commit that introduced it.")] = "",
    vfc: Annotated[str, typer.Option("--vfc", help="The commit that fixed it.")] = "",
    poc: Annotated[Path | None, typer.Option("--poc", help="The PoC's file.")] = None,
) -> None:
    from arena.building.task_from_repository import write_task
    from tasks.skeleton import PURPOSES, write_skeleton

    needed = (repository, vic, vfc)
    # With all three the PoC may still be missing, but a PoC alone belongs nowhere.
    if any((*needed, poc)) and not all(needed):
        raise ValueError("--repository, --vic and --vfc: need each other")
    try:
        written = (
            write_task(folder, repository, vic, vfc, poc) if repository else write_skeleton(folder)
        )
    except OSError as error:
        raise ValueError(f"{folder}: {error.strerror or error}") from error
    names = {path: one_line(str(path)) for path in written}
    # Purposes stand in a column.
    width = max(map(len, names.values()))
    for path, name in names.items():
        state = "" if path.stat().st_size else "(empty) "
        print(f"{name:{width}}  {state}{PURPOSES.get(path.name, '')}")
    print_err(f"fill in what is empty; what is still missing: arena tasks check {folder.parent}")


@app.command(
    "check",
    help="Check that the tasks of a pack are sound: gold's label, and that no oracle leaks.",
)
def check(
    pack: Annotated[str, typer.Argument(help="A pack's folder or name.")] = "starter",
    task: options.Tasks = None,
    set_: options.Set = None,
    as_json: options.Json = False,
    sandbox: options.Sandbox = "auto",
    workers: options.Workers = 0,
) -> None:
    from arena.protocols import Setup
    from arena.tracks.opening import track_of

    setup = Setup(track_of(pack), pack, sandbox, options=options.settings(set_ or ()))
    bad = infra = 0
    with open_session(setup, workers) as session:
        for checked in session.track.check(task or (), session.workers, print_err):
            # Each is shown as it comes, so that an interrupted check has shown something.
            bad += not checked.ok
            infra += checked.infra
            _show_checked(checked, session.store, as_json)
    # A fault of the machine comes first: what could not be checked may be sound.
    raise typer.Exit(UNLABELLED if infra else UNMET if bad else OK)


def _show_checked(checked: Checked, store: Store, as_json: bool) -> None:
    if as_json:
        output = {"problems": checked.problems, "warnings": checked.warnings}
        named = {
            name: [{"where": where, "message": message} for where, message in places]
            for name, places in output.items()
        }
        emit({"task": checked.task, "ok": checked.ok, **named, **checked.facts})
        return
    print(f"{'ok ' if checked.ok else 'BAD'} {checked.task}", flush=True)
    for kind, places in (("", checked.problems), ("warning: ", checked.warnings)):
        for where, message in places:
            print(f"      {kind}{one_line(f'{where}: {message}')}", flush=True)
    if values := checked.facts.get("other_values"):
        print("      other values: {words} words of {files} files".format(**values), flush=True)
    for line in str(checked.facts.get("tail", "")).splitlines():
        print(f"      | {one_line(line)}", flush=True)
    if (digest := str(checked.facts.get("log", ""))) and store.has(digest):
        # Only where it is here: any other path would lead nowhere.
        print(f"      all of it: {store.blob_path(digest)} (gzip)", flush=True)
