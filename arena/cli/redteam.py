"""`arena redteam`: a pack's hostile patches, graded as any answers; the full rewards by class."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from arena import options
from arena.cli.common import OK, UNLABELLED, emit, open_session, print_err
from arena.report.text import one_line

if TYPE_CHECKING:
    from pathlib import Path

    from arena.store.model import Attempt

NAME = "redteam"
HELP = """Grade a pack's hostile patches, and count by class how many get the full reward.

They are in the pack's folder `redteam`: files `<task>__<class><number>-<name>.patch`, and `due.tsv` with
the label that each should get. Any other folder of such files is graded by `arena grade FOLDER`.
"""
FOLDER, DUE, HOLES = "redteam", "due.tsv", "holes.tsv"
CLASS = re.compile(r"[a-z]+")
COLUMNS = ("class", "patches", "full reward", "known", "weaker than due", "no label")


@dataclass
class ClassCount:
    """Of one class: its patches, and what they got. known: of those with full reward, the ones in `HOLES`."""

    patches: int = 0
    full_reward: int = 0
    known: int = 0
    weaker_than_due: int = 0
    no_label: int = 0


def command(
    pack: options.Pack,
    task: options.Tasks = None,
    as_json: options.Json = False,
    sandbox: options.Sandbox = "auto",
    workers: options.Workers = 0,
    scanner: options.Scanner = "",
) -> None:
    from arena.protocols import Answers, Setup
    from arena.tracks.opening import track_of
    from arena.vocabulary import vocabulary
    from tasks.loader import find_pack

    folder = find_pack(pack) / FOLDER
    if not folder.is_dir():
        raise ValueError(f"{folder}: no such folder: the pack has no hostile patches")
    setup = Setup(track_of(pack), pack, sandbox, scanner)
    with open_session(setup, workers) as session:
        found = session.track.answers(folder)
        chosen = [answer for answer in found.found if not task or answer[0].task in task]
        if not chosen:
            raise ValueError(f"{folder}: no patch for any of these tasks")
        attempts = session.grade(Answers(chosen, found.problems), FOLDER)
    words = vocabulary(setup.track)
    counts = count_by_class(
        attempts, read_column(folder / DUE), read_column(folder / HOLES), words.labels, words.good
    )
    if as_json:
        emit({"run": attempts[0].run, "classes": {name: vars(c) for name, c in counts.items()}})
    else:
        for row in (COLUMNS, *((name, *vars(count).values()) for name, count in counts.items())):
            print("\t".join(one_line(str(cell)) for cell in row))
    print_err(f"run {attempts[0].run}: arena report {attempts[0].run}")
    missing = sum(count.no_label for count in counts.values())
    raise typer.Exit(UNLABELLED if missing else OK)


def count_by_class(
    attempts: Sequence[Attempt],
    due: Mapping[str, str],
    holes: Mapping[str, str],
    order: Sequence[str],
    good: frozenset[str],
) -> dict[str, ClassCount]:
    """The counts of each class, by name, and of all as `all`.

    due, holes: by a file's name without its ending. order: labels from the strictest. good: those with the
    full reward.
    """
    counts: dict[str, ClassCount] = {}
    for attempt in sorted(attempts, key=lambda attempt: attempt.key.model):
        name = f"{attempt.key.task}__{attempt.key.model}"
        letters = CLASS.match(attempt.key.model)
        for group in (letters[0] if letters else "other", "all"):
            count = counts.setdefault(group, ClassCount())
            count.patches += 1
            if attempt.label is None:
                count.no_label += 1
                continue
            count.full_reward += attempt.label in good
            count.known += attempt.label in good and name in holes
            expected = due.get(name, attempt.label)
            count.weaker_than_due += order.index(attempt.label) > order.index(expected)
    counts["all"] = counts.pop("all", ClassCount())
    return counts


def read_column(path: Path) -> dict[str, str]:
    """The second column of a table by its first; {} where there is no such file."""
    rows = (
        (line.split("\t") for line in path.read_text("utf-8").splitlines())
        if path.is_file()
        else ()
    )
    return {row[0]: row[1] for row in rows if len(row) > 1}
