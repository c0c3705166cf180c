"""Queries of the store: counts, open attempts, and all attempts as light rows, in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, String, case, cast, func, select
from sqlalchemy import Row as Found
from sqlalchemy.orm import Session

from arena.store.faults import UnknownRun
from arena.store.model import (
    OPEN,
    RESULT_FIELDS,
    Attempt,
    AttemptKey,
    Counts,
    OpenAttempt,
    Row,
    Spent,
    StoredSolution,
    TaskFacts,
    gradable,
    is_of_sweep,
    run_of_sweep,
    withdrawn_attempts,
)
from arena.store.provenance import from_text, with_effort
from arena.store.tables import AttemptRow, RunRow, TaskRow, clean
from harness.user_names import display_name

# Rows that are fetched at a time.
BATCH = 2000

_LATEST = 5
_OPEN_COLUMNS = (
    *(AttemptRow.id, AttemptRow.turn, AttemptRow.task, AttemptRow.agent, AttemptRow.model),
    *(AttemptRow.prompt, AttemptRow.replicate, AttemptRow.patch, AttemptRow.trajectory),
    *(AttemptRow.ended, AttemptRow.usage, AttemptRow.evidence),
)
_LIGHT = ("id", "task", "agent", "model", "prompt", "replicate", "health", "label", "score")
_COUNTED = ("usd", "tokens", "seconds")
_KEY_ORDER = (
    AttemptRow.task,
    AttemptRow.agent,
    AttemptRow.model,
    AttemptRow.prompt,
    AttemptRow.replicate,
)


def run_named(session: Session, run: str, shown: str) -> RunRow:
    """A run by id, by the name of a sweep (its newest), or the latest for "latest". Raises UnknownRun."""
    latest = list(session.scalars(select(RunRow).order_by(*_newest()).limit(_LATEST)))
    row = latest[0] if run == "latest" and latest else session.get(RunRow, clean(run))
    row = row or _newest_run_of_sweep(session, clean(run))
    if row is None:
        if not latest:
            raise UnknownRun(
                f"no run {run!r} in {shown}: there is none yet; arena run, or arena demo"
            )
        ids = ", ".join(each.id for each in latest)
        raise UnknownRun(f"no run {run!r} in {shown}; latest: {ids}")
    return row


def _newest_run_of_sweep(session: Session, name: str) -> RunRow | None:
    start = run_of_sweep(name, "")
    ids = select(RunRow).where(RunRow.id.startswith(start, autoescape=True)).order_by(*_newest())
    run_ids = (row for row in session.scalars(ids) if is_of_sweep(row.id, name))
    return next(run_ids, None)


def all_runs(session: Session) -> list[RunRow]:
    return list(session.scalars(select(RunRow).order_by(*_newest())))


def _newest() -> tuple[Any, ...]:
    return RunRow.created.desc(), RunRow.id.desc()


def attempt_like(session: Session, prefix: str) -> Attempt:
    """The attempt whose id starts with `prefix`. Raises UnknownRun when it is none or several."""
    exact = session.get(AttemptRow, clean(prefix))
    if exact is not None:  # by the key, without a look at all attempts
        return _attempt(exact)
    # A `%` that a user types must not stand for anything.
    like = AttemptRow.id.startswith(clean(prefix), autoescape=True)
    # Two are enough to know that there are several.
    rows = list(session.scalars(select(AttemptRow).where(like).limit(2)))
    if len(rows) != 1:
        raise UnknownRun(
            f"{'several attempts start' if rows else 'no attempt starts'} with {prefix!r}: "
            "arena attempts RUN lists them"
        )
    return _attempt(rows[0])


def attempts_named(session: Session, ids: Collection[str]) -> Iterator[Attempt]:
    """The attempts with these ids, as they are read."""
    yield from map(_attempt, session.scalars(select(AttemptRow).where(AttemptRow.id.in_(ids))))


def attempts_of(session: Session, run: RunRow, only_open: bool, withdrawn: bool) -> list[Attempt]:
    """The attempts of a run by key. withdrawn: include those that the sweep's file does not name any more."""
    left_out = frozenset[str]() if withdrawn else withdrawn_attempts(run.settings)
    query = select(AttemptRow).where(AttemptRow.run == run.id)
    if only_open:
        query = query.where(AttemptRow.health.in_(OPEN))
    order = (AttemptRow.task, AttemptRow.agent, AttemptRow.model, AttemptRow.replicate)
    rows = session.scalars(query.order_by(*order, AttemptRow.prompt))
    return [_attempt(row) for row in rows if row.id not in left_out]


def _attempt(row: AttemptRow) -> Attempt:
    key = AttemptKey(row.task, row.agent, row.model, row.prompt, row.replicate)
    results = {name: getattr(row, name) for name in RESULT_FIELDS.values()}
    return Attempt(row.id, row.run, key, **results)


def open_after(session: Session, run: str, after: str, limit: int) -> list[OpenAttempt]:
    """Up to `limit` open attempts after the turn `after`, in the order of their turns."""
    return [_open_attempt(row) for row in session.execute(open_query(run, after, limit))]


def open_query(run: str, after: str, limit: int) -> Select[Any]:
    return (
        select(*_OPEN_COLUMNS)
        .where(AttemptRow.run == run, AttemptRow.turn > after, AttemptRow.health.in_(OPEN))
        .order_by(AttemptRow.turn)
        .limit(limit)
    )


def _open_attempt(row: Found[Any]) -> OpenAttempt:
    key = AttemptKey(row.task, row.agent, row.model, row.prompt, row.replicate)
    solution = None
    # The agent's work was paid for: only its grading is made again.
    if row.patch is not None and gradable(row.ended, row.usage, row.model):
        note, artefacts = row.evidence.get("agent", {}), row.evidence.get("artefacts", {})
        solution = StoredSolution(row.patch, row.ended, row.usage, row.trajectory, note, artefacts)
    return OpenAttempt(row.id, key, row.turn, solution)


def counts_of(session: Session, run: RunRow) -> Counts:
    """Numbers of a run without its withdrawn attempts; what these have cost is spent all the same."""
    sums = [func.sum(getattr(AttemptRow, name)) for name in ("usd", "tokens", "seconds", "tries")]
    sums.append(func.sum(case((cast(AttemptRow.flags, String) != "[]", 1), else_=0)))
    groups = (AttemptRow.health, AttemptRow.label, AttemptRow.model)
    query = select(*groups, func.count(), *sums).where(AttemptRow.run == run.id).group_by(*groups)
    withdrawn, withdrawn_labels, withdrawn_healths, withdrawn_flags = _count_withdrawn(session, run)
    labels = {label: -number for label, number in withdrawn_labels.items()}
    healths = {health: -number for health, number in withdrawn_healths.items()}
    models: dict[str, Spent] = {}
    flagged = -withdrawn_flags
    for health, label, model, number, usd, tokens, seconds, tries, flags in session.execute(query):
        flagged += int(flags)
        healths[health] = healths.get(health, 0) + number
        if label is not None:
            labels[label] = labels.get(label, 0) + number
        spent = Spent(float(usd), int(tokens), float(seconds), int(tries))
        models[model] = models.get(model, Spent()) + spent
    return Counts(
        sum(healths.values()),
        sum(healths.get(health, 0) for health in OPEN),
        {label: number for label, number in labels.items() if number},
        {health: number for health, number in healths.items() if number},
        sum(models.values(), Spent()),
        models,
        flagged,
        withdrawn,
    )


def _count_withdrawn(session: Session, run: RunRow) -> tuple[int, Counter[str], Counter[str], int]:
    """Counts of the withdrawn attempts of a run: their number, by label, by health, and how many have flags.

    Row by row and not by a condition on ids: SQLite takes 32,766 parameters in a query.
    """
    ids, flagged = withdrawn_attempts(run.settings), 0
    labels, healths = Counter[str](), Counter[str]()
    if not ids:
        return 0, labels, healths, flagged
    table = AttemptRow.__table__.columns
    query = select(table.id, table.label, table.health, table.flags).where(table.run == run.id)
    for id_, label, health, flags in session.connection().execute(query):
        if id_ in ids:
            healths[health] += 1
            flagged += bool(flags)
            if label is not None:
                labels[label] += 1
    return healths.total(), labels, healths, flagged


def commonest_reason(session: Session, run: RunRow) -> tuple[str, int] | None:
    """The commonest reason of attempts without a label, and how many have it; None where none has a reason.

    Withdrawn attempts do not count.
    """
    withdrawn = withdrawn_attempts(run.settings)
    query = select(AttemptRow.id, AttemptRow.reason).where(
        AttemptRow.run == run.id, AttemptRow.label.is_(None), AttemptRow.reason != ""
    )
    reasons = Counter(why for id_, why in session.execute(query) if id_ not in withdrawn)
    return min(reasons.items(), key=lambda pair: (-pair[1], pair[0]), default=None)


def facts_of(session: Session, run: str, task: str = "") -> dict[str, tuple[TaskFacts, str]]:
    """Task -> its facts without the instruction, and the instruction's digest. task: "" for all."""
    query = select(*TaskRow.__table__.columns).where(TaskRow.run == run).order_by(TaskRow.task)
    if task:
        query = query.where(TaskRow.task == clean(task))
    return {
        row.task: (
            TaskFacts(
                *(row.task, row.title, row.language, row.project, row.domain),
                cwes=tuple(row.cwes),
                image=row.image,
                details=dict(row.details),
            ),
            row.instruction,
        )
        for row in session.execute(query)
    }


def states_of(session: Session, run: str) -> Iterator[tuple[str, str, str, str | None]]:
    """Id, model, health and label of each attempt of a run, fetched lazily in batches."""
    table = AttemptRow.__table__.columns
    query = select(table.id, table.model, table.health, table.label).where(AttemptRow.run == run)
    for row in session.connection().execute(query.execution_options(yield_per=BATCH)):
        yield row[0], row[1], row[2], row[3]


def light_rows(session: Session, run: RunRow) -> Iterator[Row]:
    """The attempts of a run, without withdrawn attempts, in the order of their keys, fetched in batches."""
    withdrawn = withdrawn_attempts(run.settings)
    facts = {task: task_facts for task, (task_facts, _) in facts_of(session, run.id).items()}
    table = AttemptRow.__table__.columns  # without the ORM: twice as quick
    columns: list[ColumnElement[Any]] = [
        *(table[name] for name in (*_LIGHT, *_COUNTED, "flags", "found", "usage")),
        cast(table.provenance, String),  # as text, which is read once for all that have the same
    ]
    query = select(*columns).where(AttemptRow.run == run.id).order_by(*_KEY_ORDER)
    same: dict[str, str] = {}  # equal words are one object, so that a list of all rows stays small
    for row in session.connection().execute(query.execution_options(yield_per=BATCH)):
        id_, task, agent, model, prompt, replicate, health, label, score, *rest = row
        if id_ in withdrawn:
            continue
        usd, tokens, seconds, flags, new_cwes, usage, provenance_json = rest
        provenance = from_text(provenance_json)
        model = with_effort(model, provenance.effort)
        task_facts = facts.get(task) or facts.setdefault(task, TaskFacts(task))
        yield Row(
            id_, run.id, run.track, run.pack, task_facts.task,
            same.setdefault(agent, display_name(agent)), same.setdefault(model, model),
            same.setdefault(prompt, prompt), replicate, same.setdefault(health, health),
            None if label is None else same.setdefault(label, label), score, usd, tokens, seconds,
            tuple(flags), tuple(new_cwes), task_facts.language, task_facts.project, task_facts.domain,
            task_facts.cwes, _calls(usage), provenance,
        )  # fmt: skip


def _calls(usage: Any) -> int:
    """The number of calls in stored usage, which an imported run may have filled with anything."""
    calls = usage.get("calls") if isinstance(usage, dict) else 0
    return calls if isinstance(calls, int) else 0


def wanted_runs(session: Session, runs: Sequence[str], shown: str) -> list[RunRow]:
    """The runs named, or all, oldest first."""
    if runs:
        return [run_named(session, run, shown) for run in dict.fromkeys(runs)]
    return all_runs(session)[::-1]
