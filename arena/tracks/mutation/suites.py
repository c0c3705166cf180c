"""Suites that are to be scored: the reference tests, a folder of `<id>.py`, or a JSONL file.

A line of the JSONL is {"id", "tests"} or {"id", "reply"}, and may name its `prompt` and `sample`, and whether
the reply was `cut`. What is wrong with a line or file is told; a program without a suite gets one that is
`missing`, so that a suite that was never written counts as one that does not pass.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.tracks.mutation.results import State
from arena.tracks.mutation.tasks.program import Program

REFERENCE = "reference"
MAX_LINE = 8 << 20
MAX_SUITE = 2 << 20


class SuitesError(ValueError):
    """The place of the suites cannot be used; the message names it and says why."""


@dataclass(frozen=True)
class Suite:
    """A test module for one program. `state` is what was known before any run: valid when nothing was."""

    program: str
    source: str = ""
    prompt: str = ""
    sample: int = 0
    state: State = State.VALID
    why: str = ""


@dataclass(frozen=True)
class Suites:
    """A list for each program that is scored, in the order of the programs; and what was wrong."""

    name: str
    suites: tuple[Suite, ...]
    problems: tuple[str, ...] = ()


def load_suites(given: str, programs: Iterable[Program]) -> Suites:
    """Suites for `programs` from `reference`, a folder or a JSONL file. Raises SuitesError."""
    wanted = list(programs)
    found: Iterable[Suite]
    if given == REFERENCE:
        found = (Suite(p.id, p.security_tests) for p in wanted if p.security_tests.strip())
        return _completed(REFERENCE, wanted, found, [])
    path = Path(given)
    problems: list[str] = []
    known = {program.id: program for program in wanted}
    try:
        if path.is_dir():
            found = _folder(path, known, problems)
        elif path.is_file():
            found = _jsonl(path, known, problems)
        else:
            raise SuitesError(
                f"--tests: {given}: neither `{REFERENCE}`, nor a folder, nor a JSONL file"
            )
        return _completed(path.name, wanted, found, problems)
    except OSError as error:
        raise SuitesError(f"--tests: {given}: {error.strerror}") from error


def _completed(
    name: str, programs: list[Program], found: Iterable[Suite], problems: list[str]
) -> Suites:
    """Suites in the programs' order, and one that is missing wherever there is none."""
    by_program: dict[str, list[Suite]] = {}
    for suite in found:
        by_program.setdefault(suite.program, []).append(suite)
    ordered: list[Suite] = []
    for program in programs:
        own = by_program.get(program.id) or [Suite(program.id, state=State.MISSING)]
        ordered += sorted(own, key=lambda suite: (suite.prompt, suite.sample))
    return Suites(name, tuple(ordered), tuple(problems))


def _folder(folder: Path, known: Mapping[str, Program], problems: list[str]) -> Iterator[Suite]:
    paths = sorted(folder.glob("*.py"))
    if not paths:
        raise SuitesError(f"--tests: {folder}: no file <id>.py in it")
    for path in paths:
        if path.stem not in known:
            problems.append(f"{path.name}: no program {path.stem!r} is scored")
        elif not path.is_file() or path.stat().st_size > MAX_SUITE:
            problems.append(f"{path.name}: no plain file, or larger than {MAX_SUITE >> 20} MiB")
        else:
            yield Suite(path.stem, path.read_bytes().decode("utf-8", "replace"))


def _jsonl(path: Path, known: Mapping[str, Program], problems: list[str]) -> Iterator[Suite]:
    seen: set[tuple[str, str, int]] = set()
    with path.open("rb") as stream:
        for number, line in enumerate(iter(lambda: stream.readline(MAX_LINE + 1), b""), 1):
            if not line.strip():
                continue
            try:
                suite = _suite(line, known)
                if (key := (suite.program, suite.prompt, suite.sample)) in seen:
                    raise ValueError(
                        f"id: {suite.program[:80]!r} with this prompt and sample twice"
                    )
            except (ValueError, RecursionError) as error:
                problems.append(f"{path.name}: line {number}: {error}")
                continue
            seen.add(key)
            yield suite


def _suite(line: bytes, known: Mapping[str, Program]) -> Suite:
    """A line as a suite. Raises ValueError with the field and what is wrong."""
    if len(line) > MAX_LINE:
        raise ValueError(f"longer than {MAX_LINE >> 20} MiB")
    record = json.loads(line)
    if not isinstance(record, dict):
        raise ValueError("an object is expected")
    id_, prompt = _text(record, "id"), _text(record, "prompt", "")
    if (program := known.get(id_)) is None:
        raise ValueError(f"id: no program {id_[:80]!r} is scored")
    sample = record.get("sample", 0)
    if not isinstance(sample, int) or isinstance(sample, bool):
        raise ValueError("sample: a whole number is expected")
    source, state, why = _source(record, program)
    return Suite(id_, source, prompt, sample, state, why)


def _source(record: dict[str, Any], program: Program) -> tuple[str, State, str]:
    """The test module: as given, else taken out of the reply; its state, and why."""
    tests = _text(record, "tests", "")
    if tests.strip():
        return tests, State.VALID, ""
    if "reply" in record:
        return _extracted(_text(record, "reply", ""), program, record.get("cut") is True)
    if "tests" not in record:
        raise ValueError("tests: missing, and there is no reply")
    return "", State.NO_CODE, "the suite is empty"


def _extracted(reply: str, program: Program, cut: bool) -> tuple[str, State, str]:
    """As an attempt of a sweep has it: what a reply came to without a module that can be run is not run."""
    from arena.tracks.mutation.generate.extraction import extract

    found = extract(reply, program, cut)
    if found.usable:
        return found.source, State.VALID, ""
    return "", State(str(found.state)), "; ".join(found.notes)


def _text(record: dict[str, Any], field: str, default: str | None = None) -> str:
    value = record.get(field, default)
    if value is None and default is not None:
        value = default
    if not isinstance(value, str):
        raise ValueError(f"{field}: {'missing' if value is None else 'a text is expected'}")
    return value.encode("utf-8", "replace").decode()
