"""`arena verify`: whether a run's file is what its statement says, and whether its results come out again."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena import options
from arena.cli.common import OK, UNLABELLED, UNMET, emit, print_err
from arena.report.text import one_line

if TYPE_CHECKING:
    from arena.protocols import Setup
    from arena.replays import ReplayResult
    from arena.store.store import Store
    from arena.verification import FileCheck, Regraded

DETAILS = """
With --replay K, up to K drawn patches are graded here again, and as many drawn records are replayed.
"""
MAX_PROBLEM_LINES = 20
MAX_SEED = 1 << 32


def command(
    path: Annotated[
        Path, typer.Argument(metavar="FILE", help="A file written by `arena export --to run`.")
    ],
    replay: Annotated[
        int, typer.Option("--replay", min=0, help="How many patches and records are drawn.")
    ] = 0,
    key: Annotated[
        Path | None,
        typer.Option(
            "--key", help="The public SSH key, or allowed_signers, that must have signed it."
        ),
    ] = None,
    pack: Annotated[
        str, typer.Option("--pack", "-p", help="Grade with this pack; default: the one it names.")
    ] = "",
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Draw as a previous check did.")
    ] = None,
    trust_import: Annotated[
        bool,
        typer.Option(
            "--trust-import", help="Use the track's options and all agents that the file names."
        ),
    ] = False,
    sandbox: options.Sandbox = "auto",
    scanner: options.Scanner = "",
    as_json: options.Json = False,
) -> None:
    from arena.verification import check_file

    if not path.is_file():
        raise ValueError(f"{path}: no such file; one that `arena export --to run` wrote is needed")
    check = check_file(path, key)
    # Not to be foreseen: who wrote the file must not know which attempts are looked at.
    seed = secrets.randbelow(MAX_SEED) if seed is None else seed
    regraded: list[Regraded] = []
    replays: list[ReplayResult | str] = []
    # A file that is not what it says is not worth running, and its content is not to be trusted.
    if replay and not check.problems:
        regraded, replays = _make_again(path, replay, seed, pack, trust_import, sandbox, scanner)
    if as_json:
        emit(_to_json(check, seed if replay else None, regraded, replays))
    else:
        _print(check, seed if replay else None, regraded, replays)
    raise typer.Exit(_status(check, regraded, replays))


def _make_again(
    path: Path, count: int, seed: int, pack: str, trust: bool, sandbox: str, scanner: str
) -> tuple[list[Regraded], list[ReplayResult | str]]:
    """Grade and replay a copy of the run in a temporary store, so that no earlier result is used."""
    from arena.cli.common import open_session
    from arena.exchange.importing import import_run
    from arena.store.store import Store
    from arena.verification import (
        draw_attempts,
        is_built_in_agent,
        regrade_attempts,
        replay_attempts,
    )

    with TemporaryDirectory(prefix="arena-verify-") as folder:
        store = Store(folder)
        run, _, _ = import_run(store, path)
        setup = _setup_of(store, run, pack, trust, sandbox, scanner)
        patched, recorded = draw_attempts(store.attempts(run), count, seed)
        # An agent that the file names may be any command line.
        allowed = [each for each in recorded if trust or is_built_in_agent(each.key.agent)]
        replays: list[ReplayResult | str] = [
            f"{each.id}: {each.key.agent} is not built in; to run it all the same: --trust-import"
            for each in recorded
            if each not in allowed
        ]
        with open_session(setup, store=folder) as session:
            regraded = list(regrade_attempts(session, patched))
            return regraded, [*replays, *replay_attempts(session, allowed)]


def _setup_of(store: Store, run: str, pack: str, trust: bool, sandbox: str, scanner: str) -> Setup:
    """The setup of the run, without what a file should not decide unless it is trusted."""
    from dataclasses import replace

    from arena.session import setup_of
    from arena.vocabulary import vocabulary

    row = store.run(run)
    vocabulary(row.track)  # raises ValueError for a class of the file's own
    setup = setup_of(row.settings, row.track, row.pack, sandbox)
    if setup.options and not trust:
        names = ", ".join(map(str, setup.options))
        print_err(f"options that the file names are not used without --trust-import: {names}")
        setup = replace(setup, options={})
    return replace(setup, pack=pack or _known_pack(row.settings, row.pack), scanner=scanner)


def _known_pack(settings: Mapping[str, Any], name: str) -> str:
    """The shipped or installed pack that a run names: no folder is opened because a file names it.

    Raises ValueError.
    """
    from parsers.registry import installed_plugins
    from tasks.loader import PACKAGE, shipped_packs

    pack_names = {*shipped_packs(), *installed_plugins(PACKAGE)}
    for each in (settings.get("folder"), name):
        if isinstance(each, str) and each in pack_names:
            return each
    raise ValueError(
        f"the pack {name[:80]!r} is neither shipped nor installed: name its folder in --pack"
    )


def _status(
    check: FileCheck, regraded: Sequence[Regraded], replays: Sequence[ReplayResult | str]
) -> int:
    labels_differ = any(result.label and not result.agrees for result in regraded)
    patches_differ = any(not isinstance(each, str) and not each.identical for each in replays)
    if check.problems or labels_differ or patches_differ:
        return UNMET
    ungraded = any(not result.label for result in regraded)
    unmade = ungraded or any(isinstance(each, str) for each in replays)
    return UNLABELLED if unmade else OK


def _to_json(
    check: FileCheck,
    seed: int | None,
    regraded: Sequence[Regraded],
    replays: Sequence[ReplayResult | str],
) -> dict[str, Any]:
    replayed = [
        {"problem": result}
        if isinstance(result, str)
        else {**asdict(result), "agrees": result.identical}
        for result in replays
    ]
    return {
        **asdict(check),
        "agrees": _status(check, regraded, replays) == OK,
        "seed": seed,
        "graded": [asdict(result) for result in regraded],
        "replayed": replayed,
    }


def _print(
    check: FileCheck,
    seed: int | None,
    regraded: Sequence[Regraded],
    replays: Sequence[ReplayResult | str],
) -> None:
    for problem in check.problems[:MAX_PROBLEM_LINES]:
        _print_cells("differs", problem)
    if (more := len(check.problems) - MAX_PROBLEM_LINES) > 0:
        print_err(f"and {more} more problems")
    if not check.problems:
        _print_cells("agrees", f"run {check.run}", f"{check.attempts} attempts")
        _print_cells("agrees", "statement", f"{check.subjects} subjects")
        _print_cells("signed" if check.signer else "unsigned", _signer_line(check))
    for result in regraded:
        word = "agrees" if result.agrees else "differs" if result.label else "not graded"
        label = f"{result.recorded_label}, here {result.label or 'none'}"
        facts = f"other here: {', '.join(result.differing)}" if result.differing else ""
        _print_cells(word, result.attempt, label, result.reason, facts)
    for replayed in replays:
        if isinstance(replayed, str):
            _print_cells("not replayed", replayed)
            continue
        word = "agrees" if replayed.identical else "differs"
        patch = "the identical patch" if replayed.identical else "another patch"
        calls = f"{replayed.calls} calls"
        _print_cells(word, replayed.attempt, patch, calls, replayed.diverged)
    if seed is not None:
        print_err(f"drawn with --seed {seed}")


def _print_cells(*cells: str) -> None:
    print("\t".join(one_line(cell) for cell in cells if cell))


def _signer_line(check: FileCheck) -> str:
    if check.signer is None:
        return "whoever changes the file can change the statement too"
    if check.signer.name:
        return f"by {check.signer.name}, {check.signer.key}"
    return f"by {check.signer.key}; to check whose key that is: --key"
