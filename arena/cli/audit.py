"""`arena audit`: signs of cheating in stored attempts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena import options
from arena.cli.common import emit, print_err

if TYPE_CHECKING:
    from arena.audit import Flag
    from arena.store.model import Attempt
    from arena.store.store import Store


def command(
    what: Annotated[
        str, typer.Argument(help="A run's id, a sweep's name, latest, or an attempt's id.")
    ] = "latest",
    store_at: options.StoreAt = "",
    write: Annotated[
        bool, typer.Option("--write", help="Store the flags with the attempts, for reports.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    from arena.audit import flag_names
    from arena.store.known import known_store

    store, counts, rows = known_store(store_at), _Counts(), []
    for attempt in _attempts(store, what):
        flags = audit_attempt(store, attempt)
        counts.add(attempt, flags)
        if write:
            store.set_flags(attempt.id, flag_names(flags), {"audit": [f.to_json() for f in flags]})
        if as_json:
            rows.append(_to_json(attempt, flags))
        else:
            _print(attempt, flags)
    if as_json:
        emit(rows)
    else:
        counts.print()
    if write:
        print_err(f"the flags of {counts.attempts.total()} attempts are kept")


def audit_attempt(store: Store, attempt: Attempt) -> tuple[Flag, ...]:
    """The flags of a stored attempt, by all that the store has of it. Raises what the store raises."""
    from arena.audit import audit, read_trajectory
    from harness.user_names import strip_name

    artefacts = attempt.artefacts()
    evidence = dict(attempt.evidence)
    agent = strip_name(attempt.key.agent)
    # An agent's command line stands in its name, and is looked at as what it ran.
    line = agent.removeprefix("command:")
    if line != agent:
        evidence["agent"] = {**_object(evidence.get("agent")), "command": line}
    if attempt.label is None:  # what broke may have been broken by the attempt
        evidence["reason"] = attempt.reason
    patch = store.blob(attempt.patch) if attempt.patch else b""
    output = store.blob(artefacts["output"]) if "output" in artefacts else b""
    atif = store.blob(artefacts["atif"]) if "atif" in artefacts else None
    return audit(read_trajectory(atif), patch, evidence, output)


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _attempts(store: Store, what: str) -> Iterator[Attempt]:
    """Attempts of a run that have ended or left output, or the attempt with that id. Raises UnknownRun."""
    from arena.store.store import UnknownRun

    try:
        run = store.run(what).id
    except UnknownRun as no_run:
        try:
            yield store.attempt(what)
        except UnknownRun as no_attempt:
            # Both, since only the user knows which of the two was meant.
            raise UnknownRun(f"{no_run}; {no_attempt}") from no_attempt
        return
    for attempt in store.each_attempt(run):
        # An open attempt has nothing yet that could be looked at.
        if attempt.health or attempt.patch is not None or attempt.trajectory is not None:
            yield attempt


def _to_json(attempt: Attempt, flags: Iterable[Flag]) -> dict[str, Any]:
    return {
        "attempt": attempt.id,
        **vars(attempt.key),
        "label": attempt.label,
        "flags": [flag.to_json() for flag in flags],
    }


def _print(attempt: Attempt, flags: tuple[Flag, ...]) -> None:
    from arena.report.text import one_line

    if not flags:
        return
    print(one_line(f"{attempt.id}  {attempt.label or '-'}  {attempt.key.task} x {attempt.column}"))
    for flag in flags:
        place = f"step {flag.step}" if flag.step is not None else flag.where
        note = f" ({flag.note})" if flag.note else ""
        print(one_line(f"{flag.severity} {flag.name}, {place}: {flag.why}{note}"))
        if flag.quote:
            print(f"    {one_line(flag.quote)}")


@dataclass
class _Counts:
    """Attempts by agent; flagged ones by agent, detector, and whether by more than notices."""

    attempts: Counter[str] = field(default_factory=Counter)
    flagged: Counter[tuple[str, str, bool]] = field(default_factory=Counter)

    def add(self, attempt: Attempt, flags: tuple[Flag, ...]) -> None:
        from arena.audit import Severity

        column = attempt.column
        self.attempts[column] += 1
        worse = {flag.detector for flag in flags if flag.severity is not Severity.NOTICE}
        for detector in {flag.detector for flag in flags}:
            self.flagged[column, detector, detector in worse] += 1

    def print(self) -> None:
        from arena.report.text import one_line

        for column, total in sorted(self.attempts.items()):
            print(one_line(f"{column}: {total} attempts"))
            detectors = sorted({detector for at, detector, _ in self.flagged if at == column})
            for detector in detectors:
                worse, rest = (self.flagged[column, detector, which] for which in (True, False))
                print(f"    {detector:10} {worse} of {total} flagged, {rest} with notices only")
            if not detectors:
                print("    nothing found")
