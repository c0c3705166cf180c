"""M samples for each wording of each scenario, as rows with their programs (Section 5.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.tracks.asking import Answer, Asking, Keeper, ask_all
from arena.tracks.exposure.sampling.continuing import continued
from arena.tracks.exposure.sampling.extraction import MAX_ANSWER, Extracted, program
from arena.tracks.exposure.sampling.listing import (
    MAX_ROWS,
    MAX_SAMPLES,
    WITH_CODE,
    Listing,
    Row,
    file_of,
    plain,
)
from arena.tracks.exposure.sampling.prompts import question
from arena.tracks.exposure.sampling.state import Mode, State
from arena.tracks.exposure.sampling.stopping import RULES
from arena.tracks.exposure.tasks.pack import ExposurePack, Scenario

REFORMULATIONS, SAMPLES = 10, 25
"""N and M of the paper (Section 5.3)."""
PINS: Mapping[str, Any] = {"temperature": 0.2, "top_p": 0.95, "max_tokens": 1024}
"""Sampling parameters of the paper (Section 5.3)."""
SHOWN = 300
"""Characters of an answer without code that are kept to show what it said."""
Done = Callable[[Row, float], None]


@dataclass(frozen=True)
class Plan:
    """How many are asked for: the original wording and that many reformulations, samples of each."""

    mode: Mode = "instruct"
    reformulations: int = REFORMULATIONS
    samples: int = SAMPLES


@dataclass(frozen=True)
class Sampled:
    """programs: by the rows' `file`. missing: "id/wording/sample: why" for questions without an answer."""

    listing: Listing
    programs: Mapping[str, bytes]
    missing: tuple[str, ...]


@dataclass(frozen=True)
class _Wanted:
    scenario: Scenario
    wording: int
    sample: int


def sample(
    pack: ExposurePack,
    scenarios: Sequence[Scenario],
    plan: Plan,
    asking: Asking,
    keeper: Keeper,
    done: Done = lambda row, usd: None,
) -> Sampled:
    """Ask for all samples; `done` is told each row, and the USD that it cost now.

    Raises ValueError for a plan that cannot be, and what `ask_all` raises.
    """
    wanted = _wanted(scenarios, plan)
    questions = [question(w.scenario, w.wording, w.sample, plan.mode) for w in wanted]
    rows: dict[int, Row] = {}
    programs: dict[str, bytes] = {}

    def answered(number: int, answer: Answer | None) -> None:
        one = wanted[number]
        if answer is None:
            done(_row(one, State.MISSING), 0.0)
            return
        found = complete(one.scenario, one.wording, plan.mode, answer)
        rows[number] = _row(one, found.state, found.notes, answer.usage)
        if found.source:
            programs[rows[number].file] = found.source.encode("utf-8", "replace")
        done(rows[number], 0.0 if answer.stored else answer.usd)

    asked = ask_all(questions, asking, keeper, answered)
    for number, why in asked.missing.items():
        rows[number] = _row(wanted[number], State.MISSING, (f"no answer: {why}",))
    missing = tuple(
        f"{_name(wanted[number])}: {why}" for number, why in sorted(asked.missing.items())
    )
    listing = Listing(
        model=plain(asking.model),
        mode=plan.mode,
        pack=pack.spec.name,
        version=pack.spec.version,
        digest=pack.digest,
        parameters={
            "samples": plan.samples,
            "reformulations": plan.reformulations,
            **asking.pins,
        },
        scenarios={one.id: one.digest for one in scenarios},
        ledger=dict(asked.ledger),
        rows=tuple(rows[number] for number in range(len(wanted))),
    )
    return Sampled(listing, programs, missing)


def _wanted(scenarios: Sequence[Scenario], plan: Plan) -> list[_Wanted]:
    """Raises ValueError."""
    for scenario in scenarios:
        if len(scenario.reformulations) < plan.reformulations:
            there = f"{scenario.id} has {len(scenario.reformulations)}"
            raise ValueError(f"--reformulations: {plan.reformulations} are wanted, and {there}")
    if plan.samples > MAX_SAMPLES:
        raise ValueError(f"--samples: at most {MAX_SAMPLES}")
    if len(scenarios) * (plan.reformulations + 1) * plan.samples > MAX_ROWS:
        raise ValueError(f"--samples: more than {MAX_ROWS} samples in all")
    return [
        _Wanted(scenario, wording, number)
        for scenario in scenarios
        for wording in range(plan.reformulations + 1)
        for number in range(plan.samples)
    ]


def complete(scenario: Scenario, wording: int, mode: Mode, answer: Answer) -> Extracted:
    """The program that an answer comes to: of a completion with prefix and suffix, up to where it stops."""
    if mode == "instruct":
        found = program(answer.text, answer.cut)
        return found if found.source else _without(found, answer)
    prefix, stop = scenario.prefix(wording), scenario.spec.stop
    if mode == "completion":
        state = State.CUT if answer.cut else State.CODE
        found = Extracted(answer.text[:MAX_ANSWER], state)
    else:
        found = continued(prefix, stop, answer.text, answer.cut)
    if not found.source.strip():
        return _without(found, answer)
    kept = RULES[stop](prefix, found.source)
    if not kept.strip():
        return _without(
            Extracted("", State.NO_CODE, ("it adds nothing where the prefix ends",)), answer
        )
    state = found.state if kept == found.source else State.CODE
    return Extracted(_file(prefix, kept, scenario.suffix), state, found.notes)


def _file(prefix: str, kept: str, suffix: str) -> str:
    text = prefix + kept
    return (text if text.endswith("\n") else text + "\n") + suffix


def _without(found: Extracted, answer: Answer) -> Extracted:
    said = f"it says: {' '.join(answer.text[: 4 * SHOWN].split())[:SHOWN]}"
    return Extracted("", State.NO_CODE, (*found.notes, said))


def _row(
    one: _Wanted,
    state: State,
    notes: Sequence[str] = (),
    usage: Mapping[str, Any] | None = None,
) -> Row:
    key = one.scenario.id, one.wording, one.sample
    return Row(
        scenario=key[0],
        wording=key[1],
        sample=key[2],
        state=state,
        file=file_of(*key) if state in WITH_CODE else "",
        notes=tuple(plain(note) for note in notes),
        usage=dict(usage or {}),
    )


def _name(one: _Wanted) -> str:
    return f"{one.scenario.id}/{one.wording}/{one.sample}"
