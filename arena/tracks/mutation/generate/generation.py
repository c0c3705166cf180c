"""Tests for programs from a model: `samples` of each, as rows of a JSONL file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.tracks.asking import Answer, Asking, Keeper, Question, ask_all
from arena.tracks.mutation.generate.extraction import extract
from arena.tracks.mutation.generate.prompts import Prompt, prompt_for
from arena.tracks.mutation.tasks.program import Program


@dataclass(frozen=True)
class Generated:
    """rows: one for each answer, by program and sample. missing: "id, sample n: why" for the others."""

    rows: tuple[dict[str, Any], ...]
    missing: tuple[str, ...]
    ledger: Mapping[str, Any]

    def lines(self) -> bytes:
        """The rows as JSONL."""
        return b"".join(json.dumps(row, ensure_ascii=True).encode() + b"\n" for row in self.rows)


def generate(
    programs: Sequence[Program],
    prompt: str,
    samples: int,
    asking: Asking,
    keeper: Keeper,
    done: Callable[[str, str, float], None] = lambda program, state, usd: None,
) -> Generated:
    """Ask for `samples` test modules for each program; `done` is told (program, state or "", USD).

    A reply without code is a row with that state; a question without an answer is no row, but `missing`.
    Raises what `ask_all` raises, and UnknownName for a prompt that there is not.
    """
    prompts = [prompt_for(prompt, program) for program in programs]
    places = [(at, sample) for at in range(len(programs)) for sample in range(samples)]
    questions = [question(prompts[at], programs[at], sample) for at, sample in places]
    rows: dict[int, dict[str, Any]] = {}

    def answered(number: int, answer: Answer | None) -> None:
        at, sample = places[number]
        if answer is None:
            done(programs[at].id, "", 0.0)
            return
        made = {"prompt": prompt, "prompt_digest": prompts[at].digest, "model": asking.model}
        row = {"id": programs[at].id, "sample": sample, **made, **read(answer, programs[at])}
        rows[number] = row
        done(programs[at].id, row["state"], 0.0 if answer.stored else answer.usd)

    asked = ask_all(questions, asking, keeper, answered)
    missing = tuple(
        f"{programs[places[n][0]].id}, sample {places[n][1]}: {why}"
        for n, why in sorted(asked.missing.items())
    )
    return Generated(tuple(rows[n] for n in sorted(rows)), missing, asked.ledger)


def question(prompt: Prompt, program: Program, sample: int) -> Question:
    """What is asked for one test module."""
    return Question(prompt.messages, program.digest, sample)


def read(answer: Answer, program: Program) -> dict[str, Any]:
    """A row's facts about an answer; `tests` is the module, "" where there is none that can be run."""
    found = extract(answer.text, program, answer.cut)
    return {
        "reply": answer.text,
        "tests": found.source if found.usable else "",
        "state": str(found.state),
        "notes": list(found.notes),
        "cut": answer.cut,
        "usage": answer.usage,
    }
