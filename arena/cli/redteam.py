"""`arena redteam`: a pack's hostile patches, graded as any answers or by Harbor; full rewards by class."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena import options
from arena.cli.common import OK, UNLABELLED, emit, open_session, print_err
from arena.report.text import one_line

if TYPE_CHECKING:
    from arena.protocols import Answers, Setup
    from arena.store.model import Attempt

DETAILS = """
They are in the pack's folder `redteam`: files `<task>__<class><number>-<name>.patch`, and `due.tsv` with
the label that each should get. Any other folder of such files is graded by `arena grade FOLDER`.

With --harbor the program `harbor` plays them as solutions of its tasks of the same names, such as those that
`arena export --to harbor` writes, and its rewards are counted. Called again with the same --out, it goes on.
"""
FOLDER, DUE, HOLES = "redteam", "due.tsv", "holes.tsv"
CLASS = re.compile(r"[a-z]+")
COLUMNS = ("class", "patches", "full reward", "known", "weaker than due", "no label")


@dataclass
class ClassCount:
    """The labels of the patches of a class. listed_holes: of those with full reward, the ones in `HOLES`."""

    patches: int = 0
    full_reward: int = 0
    listed_holes: int = 0
    weaker_than_due: int = 0
    no_label: int = 0


HARBOR_COLUMNS = (
    "class",
    "patches",
    "full reward",
    "known",
    "part of it",
    "reward 0",
    "not measured",
)


@dataclass
class RewardCount:
    """The rewards in Harbor of the patches of a class; those in `HOLES` are a part of the full ones."""

    patches: int = 0
    full_reward: int = 0
    listed_holes: int = 0
    part_of_it: int = 0
    reward_0: int = 0
    not_measured: int = 0


HarborTasks = Annotated[
    Path | None,
    typer.Option("--harbor", help="A folder of tasks of Harbor: its rewards are counted."),
]
Out = Annotated[
    Path | None, typer.Option("--out", help="For --harbor: the folder of its tasks and jobs.")
]
HarborOptions = Annotated[
    str,
    typer.Option("--harbor-options", help='Options of `harbor run`, such as "-e podman -n 1".'),
]


def command(
    pack: options.Pack,
    task: options.Tasks = None,
    as_json: options.Json = False,
    sandbox: options.Sandbox = "auto",
    workers: options.Workers = 0,
    scanner: options.Scanner = "",
    harbor: HarborTasks = None,
    out: Out = None,
    harbor_options: HarborOptions = "",
) -> None:
    from arena.protocols import Setup
    from arena.tracks.opening import track_of
    from tasks.loader import find_pack

    folder = find_pack(pack) / FOLDER
    if not folder.is_dir():
        raise ValueError(f"{folder}: no such folder: the pack has no hostile patches")
    # Refused before anything is graded.
    if (harbor is None) != (out is None) or (harbor_options and not harbor):
        raise ValueError("--harbor, --out: need each other; --harbor-options needs both")
    setup = Setup(track_of(pack), pack, sandbox, scanner)
    if harbor is not None and out is not None:
        _count_in_harbor(setup, folder, harbor, out, task or (), harbor_options, as_json)
    _count_here(setup, folder, task or (), workers, as_json)


def _count_here(
    setup: Setup, folder: Path, tasks: Collection[str], workers: int, as_json: bool
) -> None:
    """Grade the patches, and print their labels by class; exits."""
    from arena.vocabulary import vocabulary

    with open_session(setup, workers) as session:
        attempts = session.grade(_select(session.track.answers(folder), tasks, folder), FOLDER)
    words = vocabulary(setup.track)
    counts = count_by_class(
        attempts, read_column(folder / DUE), read_column(folder / HOLES), words.labels, words.good
    )
    _print(COLUMNS, counts, {"run": attempts[0].run}, as_json)
    print_err(f"run {attempts[0].run}: arena report {attempts[0].run}")
    raise typer.Exit(UNLABELLED if counts["all"].no_label else OK)


def _count_in_harbor(
    setup: Setup,
    folder: Path,
    harbor: Path,
    out: Path,
    tasks: Collection[str],
    harbor_options: str,
    as_json: bool,
) -> None:
    """Let Harbor play the patches, and print its rewards by class; exits."""
    from arena.exchange.harbor import hostile

    # Written whole or not at all: what is there is of an earlier call, which is gone on with.
    if not (out / hostile.TASKS).is_dir():
        with open_session(setup) as session:
            answers = _select(session.track.answers(folder), tasks, folder)
        patches = {
            f"{key.task}__{key.model}": (key.task, solution.patch)
            for key, solution in answers.found
        }
        missing = hostile.write_hostile_tasks(harbor, patches, out)
        print_err(f"{len(patches) - missing} tasks in {out / hostile.TASKS}")
        if missing:
            print_err(f"{missing} patches are left out: their tasks are not in {harbor}")
    argv = hostile.harbor_command(out, shlex.split(harbor_options))
    if hostile.is_installed():
        # The rewards of an unsuccessful run are still counted, as far as they are there.
        status = hostile.run_harbor(argv)
        if status:
            print_err(f"harbor ended with status {status}")
    elif not (out / hostile.JOBS / hostile.JOB).is_dir():
        raise ValueError(
            "harbor is not installed (pip install harbor, which needs Python 3.12). Where it is, start "
            f"{shlex.join(argv)}, and then this command again"
        )
    rewards = hostile.read_rewards(out)
    counts = count_rewards(rewards, read_column(folder / HOLES))
    _print(HARBOR_COLUMNS, counts, {"rewards": rewards}, as_json)
    raise typer.Exit(UNLABELLED if counts["all"].not_measured else OK)


def _select(answers: Answers, tasks: Collection[str], folder: Path) -> Answers:
    """The answers to these tasks, or all. Raises ValueError where there is none."""
    from arena.protocols import Answers

    chosen = [answer for answer in answers.found if not tasks or answer[0].task in tasks]
    if not chosen:
        raise ValueError(f"{folder}: no patch for any of these tasks")
    return Answers(chosen, answers.problems)


def _print(
    columns: Sequence[str],
    counts: Mapping[str, ClassCount] | Mapping[str, RewardCount],
    facts: Mapping[str, Any],
    as_json: bool,
) -> None:
    """Print a table of counts by class, or as JSON with further facts."""
    if as_json:
        keys = [column.replace(" ", "_") for column in columns[1:]]
        classes = {
            name: dict(zip(keys, vars(count).values(), strict=True))
            for name, count in counts.items()
        }
        emit({**facts, "classes": classes})
        return
    for row in (columns, *((name, *vars(count).values()) for name, count in counts.items())):
        print("\t".join(one_line(str(cell)) for cell in row))


def _groups(patch: str) -> Iterator[str]:
    """The class of a patch by its name, and `all`."""
    letters = CLASS.match(patch)
    yield letters[0] if letters else "other"
    yield "all"


def count_rewards(
    rewards: Mapping[str, float | None], holes: Collection[str]
) -> dict[str, RewardCount]:
    """The counts of each class, by name, and of all as `all`.

    rewards: by `<task>__<name>`, None where none was measured. holes: such names.
    """
    counts: dict[str, RewardCount] = {}
    for name, reward in sorted(rewards.items(), key=lambda item: item[0].partition("__")[2]):
        for group in _groups(name.partition("__")[2]):
            count = counts.setdefault(group, RewardCount())
            count.patches += 1
            count.not_measured += reward is None
            count.full_reward += reward is not None and reward >= 1
            count.listed_holes += reward is not None and reward >= 1 and name in holes
            count.part_of_it += reward is not None and 0 < reward < 1
            count.reward_0 += reward is not None and reward <= 0
    counts["all"] = counts.pop("all", RewardCount())
    return counts


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
        for group in _groups(attempt.key.model):
            count = counts.setdefault(group, ClassCount())
            count.patches += 1
            if attempt.label is None:
                count.no_label += 1
                continue
            count.full_reward += attempt.label in good
            count.listed_holes += attempt.label in good and name in holes
            expected = due.get(name, attempt.label)
            # A label that is stricter than due is no success of the patch.
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
