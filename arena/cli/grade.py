"""`arena grade`: verdicts on answers from elsewhere, whatever the track; they become a run."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena import options
from arena.cli.common import OK, UNLABELLED, emit, open_session, print_err
from arena.report.text import one_line

if TYPE_CHECKING:
    from arena.session import Session
    from arena.store.model import Attempt

DETAILS = """
ANSWERS: SWE-bench predictions (.json, .jsonl, these as .gz, a folder of .pred); a folder or file of samples,
suites or completions in the track's formats; `reference` for the answers that ship with the tasks; or another
calibration agent.
"""
REFERENCE = "reference"
MAX_LISTED_PROBLEMS = 20
MAX_LISTED_TASKS = 10


def command(
    answers: Annotated[str, typer.Argument(help="A file, a folder, or a calibration agent.")],
    pack: options.Pack,
    task: options.Tasks = None,
    set_: options.Set = None,
    api_base: options.ApiBase = "",
    prices: options.Prices = None,
    allow_unknown_price: options.UnknownPrice = False,
    as_json: options.Json = False,
    sandbox: options.Sandbox = "auto",
    workers: options.Workers = 0,
    scanner: options.Scanner = "",
) -> None:
    from arena.protocols import Setup
    from arena.tracks.opening import track_class, track_of

    track_settings = options.settings(set_ or ())
    setup = Setup(
        track_of(pack),
        pack,
        sandbox,
        scanner,
        api_base=api_base,
        prices=str(prices or ""),
        allow_unknown_price=allow_unknown_price,
        options=track_settings,
    )
    with open_session(setup, workers) as session:
        attempts = _grade_answers(session, answers, task or ())
    run = attempts[0].run
    if as_json:
        facts = session.store.tasks(run)
        metrics = track_class(setup.track).metrics(attempts, facts)
        emit({"run": run, "attempts": [to_json(a) for a in attempts], "metrics": metrics})
    else:
        for attempt in attempts:
            label = attempt.label or f"({attempt.health})"
            cells = (attempt.key.task, attempt.column, label, attempt.reason)
            print("\t".join(map(one_line, cells)))
    labelled = sum(attempt.label is not None for attempt in attempts)
    if labelled < len(attempts):
        print_err(f"{len(attempts) - labelled} of {len(attempts)} answers have no label")
    print_err(f"run {run}: arena report {run}")
    raise typer.Exit(OK if labelled == len(attempts) else UNLABELLED)


def _grade_answers(
    session: Session, answers_name: str, tasks: list[str] | tuple[()]
) -> list[Attempt]:
    from arena.protocols import Answers, Matrix
    from arena.vocabulary import vocabulary

    words, path = vocabulary(session.setup.track), Path(answers_name)
    if not path.exists():
        agent = words.reference if answers_name == REFERENCE else answers_name
        if not words.calibrates(agent):
            names = ", ".join((REFERENCE, *words.calibration))
            raise ValueError(f"{answers_name}: no file or folder, and none of {names}")
        return session.make(Matrix((agent,), tasks=tasks))
    answers = session.track.answers(path)
    for problem in answers.problems[:MAX_LISTED_PROBLEMS]:
        print_err(f"problem: {problem}")
    if (more := len(answers.problems) - MAX_LISTED_PROBLEMS) > 0:
        print_err(f"and {more} more problems")
    # Here and not in the reader, whose problems are reported for all answers.
    chosen = [answer for answer in answers.found if not tasks or answer[0].task in tasks]
    if not chosen:
        raise ValueError(f"{answers_name}: no answer for any of these tasks")
    if line := unanswered_line(
        tasks or [facts.task for facts in session.track.describe(())],
        {key.task for key, _ in chosen},
    ):
        print_err(line)
    return session.grade(Answers(chosen, answers.problems), path.name)


def unanswered_line(tasks: Sequence[str], answered_tasks: Collection[str]) -> str:
    """A line on the tasks without an answer: they are in no rate. "" if every task has an answer."""
    missing = [task for task in tasks if task not in answered_tasks]
    if not missing:
        return ""
    more = ", ..." if len(missing) > MAX_LISTED_TASKS else ""
    named = one_line(", ".join(missing[:MAX_LISTED_TASKS])) + more
    return f"{len(missing)} of {len(tasks)} tasks have no answer and are not in the run: {named}"


def to_json(attempt: Attempt) -> dict[str, Any]:
    """An attempt as `arena grade --json` prints it; `details` is its evidence."""
    return {
        "attempt": attempt.id,
        **vars(attempt.key),
        "label": attempt.label,
        "health": attempt.health,
        "reason": attempt.reason,
        "details": attempt.evidence,
    }
