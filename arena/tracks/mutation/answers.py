"""Suites that somebody brings: a folder of `<id>.py`, or a JSONL file.

A line of the JSONL is {"id", "tests"} or {"id", "reply"}, and may name `model`, `prompt` and `sample`, and
whether the reply was `cut` or what its `finish_reason` was. A line with an `error` reports that no answer
came: its attempt has no label. Errors in a line or file are reported; a program without a line or file gets
a suite that is `missing`, so that a suite that was never written counts as a suite that does not pass.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.models.endings import fault_in, name_ending, no_answer
from arena.protocols import Answers
from arena.store.model import AttemptKey
from arena.tracks.choices import ANSWERS, NEUTRAL
from arena.tracks.mutation.generate.extraction import extract
from arena.tracks.mutation.results import State
from arena.tracks.mutation.tasks.program import Program
from harness.gateway.endings import Ending, reason_of
from harness.protocols import Solution

MAX_LINE = 8 << 20
MAX_SUITE = 2 << 20

Programs = Mapping[str, Program]
Answer = tuple[AttemptKey, Solution]


def read_suites(path: Path, programs: Programs) -> Answers:
    """Suites for `programs`, in the order of these, and what could not be read. Raises ValueError."""
    problems: list[str] = []
    read = _folder if path.is_dir() else _jsonl
    try:
        answers = list(read(path, programs, problems))
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from error
    if not answers:
        reason = f": {problems[0]}" if problems else ""
        raise ValueError(f"{path}: neither a folder with <id>.py nor JSONL with suites{reason}")
    return Answers(_add_missing(answers, programs), problems)


def _add_missing(answers: list[Answer], programs: Programs) -> list[Answer]:
    """The answers, with a missing answer for each program that a model and prompt lacks."""
    askers = sorted({(key.model, key.prompt) for key, _ in answers})
    there = {(key.task, key.model, key.prompt) for key, _ in answers}
    missing = [
        (AttemptKey(id_, ANSWERS, model, prompt), _empty_solution(State.MISSING))
        for id_ in programs
        for model, prompt in askers
        if (id_, model, prompt) not in there
    ]
    order = {id_: number for number, id_ in enumerate(programs)}
    return sorted(
        [*answers, *missing],
        key=lambda answer: (
            order[answer[0].task],
            answer[0].model,
            answer[0].prompt,
            answer[0].replicate,
        ),
    )


def _empty_solution(state: State, why: str = "") -> Solution:
    """What an attempt leaves that holds no suite."""
    return Solution(b"", note={"state": str(state), "notes": [why] if why else []})


def _folder(folder: Path, programs: Programs, problems: list[str]) -> Iterator[Answer]:
    for path in sorted(folder.glob("*.py")):
        if path.stem not in programs:
            problems.append(f"{path.name}: no program {path.stem!r} is in the pack")
        elif not path.is_file() or path.stat().st_size > MAX_SUITE:
            problems.append(f"{path.name}: no plain file, or larger than {MAX_SUITE >> 20} MiB")
        else:
            yield AttemptKey(path.stem, ANSWERS, folder.name), Solution(path.read_bytes())


def _jsonl(path: Path, programs: Programs, problems: list[str]) -> Iterator[Answer]:
    keys: set[AttemptKey] = set()
    with path.open("rb") as stream:
        # With a bound: a file without a line end would otherwise be read into memory as one line.
        for number, line in enumerate(iter(lambda: stream.readline(MAX_LINE + 1), b""), 1):
            if not line.strip():
                continue
            try:
                key, solution = _suite(line, programs, path.stem)
                if key in keys:
                    raise ValueError(
                        f"id: {key.task[:80]!r} with this model, prompt and sample twice"
                    )
            except (ValueError, RecursionError) as error:
                # One bad line must not cost the other suites of a file that took a model hours.
                problems.append(f"{path.name}: line {number}: {error}")
                continue
            keys.add(key)
            yield key, solution


def _suite(line: bytes, programs: Programs, name: str) -> Answer:
    """A line as an attempt. Raises ValueError with the field and what is wrong."""
    if len(line) > MAX_LINE:
        raise ValueError(f"longer than {MAX_LINE >> 20} MiB")
    record = json.loads(line)
    if not isinstance(record, dict):
        raise ValueError("an object is expected")
    id_ = _text(record, "id")
    if (program := programs.get(id_)) is None:
        raise ValueError(f"id: no program {id_[:80]!r} is in the pack")
    sample = record.get("sample", 0)
    # `True` is an int in Python and would be sample 1.
    if not isinstance(sample, int) or isinstance(sample, bool):
        raise ValueError("sample: a whole number is expected")
    model, prompt = _text(record, "model", "") or name, _text(record, "prompt", "") or NEUTRAL[0]
    return AttemptKey(id_, ANSWERS, model, prompt, sample), _solution(record, program)


def _solution(record: dict[str, Any], program: Program) -> Solution:
    """The test module: the recorded source, else what is extracted from the reply."""
    if why := fault_in(record):
        return Solution(b"", note=no_answer(why))
    tests = _text(record, "tests", "")
    if tests.strip():
        return Solution(tests.encode())
    if "reply" in record:
        reply, reason = _text(record, "reply", ""), reason_of(record.get("finish_reason"))
        # Providers name the same end differently; a cut reply may hold half a suite, which must not look
        # whole.
        cut = record.get("cut") is True or reason == Ending.OUT_OF_TOKENS
        solution = suite_in(reply, program, cut)
        return replace(solution, note=name_ending(solution.note, reply, reason, cut))
    if "tests" not in record:
        raise ValueError("tests: missing, and there is no reply")
    return _empty_solution(State.NO_CODE, "the suite is empty")


def suite_in(reply: str, program: Program, cut: bool) -> Solution:
    """The suite in a model's reply: what cannot be run as a test module is not run."""
    extracted = extract(reply, program, cut)
    tests = extracted.source.encode("utf-8", "replace") if extracted.usable else b""
    return Solution(tests, note={"state": str(extracted.state), "notes": list(extracted.notes)})


def _text(record: dict[str, Any], field: str, default: str | None = None) -> str:
    value = record.get(field, default)
    if value is None and default is not None:
        value = default
    if not isinstance(value, str):
        raise ValueError(f"{field}: {'missing' if value is None else 'a text is expected'}")
    # JSON can hold lone surrogates, which no file and no store takes.
    return value.encode("utf-8", "replace").decode()
