"""`arena cases try|fuzz|log|shell`: what a case comes to before its VIC is searched."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

from arena import options
from arena.cli.cases import chosen_store
from arena.cli.common import OK, UNLABELLED, UNMET, choose_backend, emit, print_err
from arena.cli.confirm import named_cases
from arena.report.text import one_line

if TYPE_CHECKING:
    from pathlib import Path

    from arena.building.cases.loader import LoadedCase
    from harness.grade.ports import ResultCache
    from harness.sandbox.base import Backend

HELP_OF_TRY = "Build the fix and its parent only, and replay the PoC: what is worth building."
HELP_OF_FUZZ = "Find a case's PoC again by fuzzing the fix's parent."
HELP_OF_LOG = "What building a revision, or its PoC, printed."
HELP_OF_SHELL = "A shell in the sandbox of a revision, built."

Ids = Annotated[
    list[str] | None, typer.Argument(metavar="[CASE]...", help="Cases; default: all of the store.")
]
Id = Annotated[str, typer.Argument(metavar="CASE", help="A case's id or folder.")]
Commit = Annotated[
    str, typer.Argument(metavar="[COMMIT]", help="A commit; default: the fix's first parent.")
]


class _CaseResult(Protocol):
    def to_json(self) -> dict[str, Any]: ...


def _work_on_cases(
    ids: list[str] | None,
    store: Path | None,
    repositories: Path | None,
    projects: list[str] | None,
    workers: int,
    work: Callable[[LoadedCase, Callable[[str], None]], _CaseResult],
    line: Callable[[Any], str],
    as_json: bool,
) -> list[Any]:
    """Work on cases several at a time; a line for each as it ends."""
    from arena.tracks.pool import each

    # A store's folder stands for all its cases.
    cases = named_cases(ids or [str(chosen_store(store))], store, repositories, projects)
    results: list[Any] = []
    lock = threading.Lock()

    def work_on_case(case: LoadedCase) -> None:
        result = work(case, lambda text: print_err(f"{case.id}: {text}"))
        # Cases end at the same time: two lines must not be printed into each other.
        with lock:
            results.append(result)
            emit(result.to_json()) if as_json else print(one_line(line(result)), flush=True)
            print_err(f"{len(results)}/{len(cases)}")

    each(cases, work_on_case, workers)
    return results


def try_(
    case: Ids = None,
    store: options.Cases = None,
    repositories: options.Repositories = None,
    project: options.Projects = None,
    sandbox: options.Sandbox = "auto",
    workers: options.Workers = 0,
    as_json: options.Json = False,
) -> None:
    from arena.building.feasibility import TriedCase, try_case
    from arena.store.store import Store

    backend, cache = choose_backend(sandbox), Store()

    def line(tried: TriedCase) -> str:
        shown = f" ({tried.before} -> {tried.after})" if tried.after else ""
        reason = f": {tried.reason}" if tried.reason else ""
        hint = f" [{tried.hint}]" if tried.hint else ""
        return f"{tried.case}: {tried.state}{shown}{reason}{hint}, {tried.cpu_seconds:g} s"

    results = _work_on_cases(
        case,
        store,
        repositories,
        project,
        workers,
        lambda c, say: try_case(c, backend, cache, say),
        line,
        as_json,
    )
    counts = Counter(tried_case.state for tried_case in results)
    print_err(", ".join(f"{count} {state}" for state, count in counts.most_common()))
    # A Counter has 0 for what it does not hold, so that no case at all counts as success.
    _exit(counts["reproduced"] == len(results), "infra" in counts)


def fuzz(
    case: Ids = None,
    store: options.Cases = None,
    repositories: options.Repositories = None,
    project: options.Projects = None,
    minutes: Annotated[
        float, typer.Option("--minutes", min=0.1, help="CPU minutes for each case.")
    ] = 10.0,
    download: Annotated[
        bool, typer.Option("--download", help="Ask the record's reproducer address first.")
    ] = False,
    sandbox: options.Sandbox = "auto",
    workers: options.Workers = 0,
    as_json: options.Json = False,
) -> None:
    from arena.building.fuzzing.campaign import FuzzOutcome, fuzz_case
    from arena.store.store import Store

    backend, cache = choose_backend(sandbox), Store()

    def line(outcome: FuzzOutcome) -> str:
        spent = f"{outcome.executions} executions, {outcome.cpu_seconds:g} CPU s"
        if outcome.is_found:
            frames = " < ".join(outcome.frames[:3])
            return f"{outcome.case}: found ({outcome.origin}) after {spent}: {frames}"
        return f"{outcome.case}: not found ({spent}): {outcome.reason}"

    results = _work_on_cases(
        case,
        store,
        repositories,
        project,
        workers,
        lambda c, say: fuzz_case(c, backend, cache, minutes, say, download),
        line,
        as_json,
    )
    poc_count = sum(outcome.is_found for outcome in results)
    by_origin = Counter(outcome.origin for outcome in results if outcome.is_found)
    summary = (
        f" ({', '.join(f'{count} {origin}' for origin, count in by_origin.most_common())})"
        if by_origin
        else ""
    )
    print_err(f"{poc_count} of {len(results)} have a PoC now{summary}")
    _exit(poc_count == len(results), any(outcome.reason.startswith("infra") for outcome in results))


def log(
    case: Id,
    commit: Commit = "",
    store: options.Cases = None,
    repositories: options.Repositories = None,
    poc: Annotated[bool, typer.Option("--poc", help="What the PoC printed.")] = False,
    sandbox: options.Sandbox = "auto",
) -> None:
    from arena.building.revisions.witness import SandboxWitness

    loaded, backend, cache = _open_case(case, store, repositories, sandbox)
    with SandboxWitness(backend, loaded, cache, print_err) as witness:
        for text in witness.logs(commit or witness.fix_and_parent()[1], poc):
            print(text.decode("utf-8", "replace"))


def shell(
    case: Id,
    commit: Commit = "",
    store: options.Cases = None,
    repositories: options.Repositories = None,
    sandbox: options.Sandbox = "auto",
) -> None:
    from arena.building.revisions.witness import SandboxWitness
    from arena.cli.task_shell import look_into
    from tasks.loader import TaskError

    loaded, backend, cache = _open_case(case, store, repositories, sandbox)
    with SandboxWitness(backend, loaded, cache, print_err) as witness:
        # The name of the image is needed behind this block, when the sandbox that built it is closed.
        image = witness.place(commit or witness.fix_and_parent()[1])
    # Only an image of a container engine can be opened by a shell.
    if backend.name != "docker":
        raise TaskError("a shell needs the docker sandbox")
    where = loaded.spec.environment.workdir if loaded.spec.environment else "/"
    raise typer.Exit(look_into(image, where))


def _open_case(
    case: str, store: Path | None, repositories: Path | None, sandbox: str
) -> tuple[LoadedCase, Backend, ResultCache]:
    from arena.building.oss_fuzz.bases import with_built_image
    from arena.store.store import Store

    (loaded,) = named_cases([case], store, repositories)
    backend, cache = choose_backend(sandbox), Store()
    return with_built_image(loaded, backend, cache, print_err), backend, cache


def _exit(is_complete: bool, has_infra_fault: bool) -> None:
    raise typer.Exit(OK if is_complete else UNLABELLED if has_infra_fault else UNMET)
