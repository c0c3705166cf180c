"""`arena cases reproduce`: from a case's id to its crash."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import options
from arena.cli.cases import chosen_store, remember_store
from arena.cli.common import OK, UNLABELLED, UNMET, choose_backend, emit, print_err
from arena.report.text import one_line

if TYPE_CHECKING:
    from arena.building.reproducing import Reproduction

HELP = """From an id to a crash: find the record, the clone and the environment, and replay the PoC.

The PoC is replayed at the fix's parent, for that one shows the crash; --with-fix replays it at the fix as
well, and says whether that is clean. What the case lacks is brought into the store, so that a second call
needs no options.
"""


def reproduce(
    id_: Annotated[str, typer.Argument(metavar="ID", help="A case's id, as ARVO numbers them.")],
    with_fix: Annotated[
        bool, typer.Option("--with-fix", help="Also replay the PoC at the fix.")
    ] = False,
    store: options.CasesOut = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "--source", help="Records for `cases import`; default: a mirror of n132/ARVO-Meta."
        ),
    ] = None,
    oss_fuzz: options.OssFuzz = None,
    mirrors: options.Mirrors = None,
    clone: Annotated[
        bool, typer.Option("--clone", help="Clone with git what no mirror has.")
    ] = False,
    images: Annotated[
        str,
        typer.Option(
            "--images", help="Images in ARVO's form, such as n132/arvo:{id}-vul; else recipes."
        ),
    ] = "",
    sandbox: options.Sandbox = "auto",
    as_json: options.Json = False,
) -> None:
    from arena.building.reproducing import CaseSources
    from arena.building.reproducing import reproduce as reproduce_case
    from arena.store.store import Store

    target = chosen_store(store)
    sources = CaseSources(target, source, oss_fuzz, mirrors, clone, images)
    backend, cache = choose_backend(sandbox), Store()

    def say(text: str) -> None:
        print_err(one_line(f"{id_}: {text}"))

    outcome = reproduce_case(id_, sources, backend, cache, say, with_fix)
    # Only now: a call that raised has brought nothing there.
    remember_store(target)
    emit(outcome.to_json()) if as_json else _print(outcome)
    raise typer.Exit(
        OK if outcome.is_success else UNLABELLED if outcome.state == "infra" else UNMET
    )


def _print(outcome: Reproduction) -> None:
    """Print the outcome in a line, then the report's crash and both replays in three columns."""
    from arena.building.feasibility import STATES
    from arena.building.reproducing import crash_facts, observation_facts

    meaning = outcome.reason or STATES.get(outcome.state, "")
    reason = f": {meaning}" if meaning else ""
    hint = f" [{outcome.hint}]" if outcome.hint else ""
    print(one_line(f"{outcome.case}: {outcome.state}{reason}{hint}"))
    if outcome.environment:
        print("    in " + one_line(outcome.environment))
    if outcome.replayed is None:
        return
    before, after = outcome.replayed.before, outcome.replayed.after
    rows = [("report", "", *crash_facts(outcome.replayed.stated))]
    rows += [("parent", before.commit[:12], *observation_facts(before))]
    rows += [("fix", after.commit[:12], *observation_facts(after))] if after else []
    width = max(len(kind) for _, _, kind, _ in rows)
    for name, commit, kind, frames in rows:
        print(f"    {name:6}  {commit:12}  {one_line(kind):{width}}  {one_line(frames)}".rstrip())
