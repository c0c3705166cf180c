"""Samples that somebody brings: DIR/<scenario>/<wording>/<sample>.py, alone or with a samples.json.

samples.json (`sampling/listing.py`) has a row for each: its model, its prompt, and why a program is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from arena.models.endings import no_answer
from arena.protocols import Answers
from arena.store.model import AttemptKey
from arena.tracks.choices import ANSWERS
from arena.tracks.exposure.sampling.listing import (
    MAX_ROWS,
    WITH_CODE,
    ListedRow,
    Listing,
    file_of,
    read_listing,
)
from arena.tracks.exposure.sampling.state import CompletionState
from arena.tracks.exposure.tasks.pack import Scenario
from harness.protocols import Solution

LISTING = "samples.json"
# Bytes of a program that are read; the judging refuses what is that long.
MAX_SOURCE = 4 << 20
MAX_PROBLEMS = 100
_NUMBER = re.compile(r"0|[1-9][0-9]{0,4}")


@dataclass(frozen=True)
class SampleFolder:
    """A folder's samples, by scenario, wording and sample. `listing` is None of programs from elsewhere."""

    folder: Path
    listing: Listing | None
    rows: tuple[ListedRow, ...]
    problems: tuple[str, ...] = ()

    def program(self, row: ListedRow) -> bytes:
        """The program of a row with a file, cut at MAX_SOURCE bytes. Raises ValueError."""
        path = self.folder / row.file
        try:
            # A link could bring any file of this machine into a report.
            if path.is_symlink() or not path.is_file():
                raise ValueError(f"{path}: missing (a plain file is expected)")
            with path.open("rb") as file:
                return file.read(MAX_SOURCE)
        except OSError as error:
            raise ValueError(f"{path}: {error.strerror}") from error


def answers_of(path: Path, scenarios: Mapping[str, Scenario]) -> Answers:
    """The samples of a folder (or of its samples.json) as attempts: wordings are prompts w0, w1, ...

    Raises ValueError where there is no sample of these scenarios, or a program cannot be read.
    """
    samples = read_samples(path.parent if path.name == LISTING else path, list(scenarios))
    listing = samples.listing
    problems = list(samples.problems)
    if listing:
        problems += [
            f"{name}: has changed since it was asked"
            for name, digest in listing.scenarios.items()
            if name in scenarios and scenarios[name].digest != digest
        ]
    model = listing.model if listing else samples.folder.resolve().name
    brought = []
    for row in samples.rows:
        if row.wording >= len(scenarios[row.scenario].wordings):
            problems.append(f"{row.scenario}: wording {row.wording} is not in the pack")
            continue
        key = AttemptKey(row.scenario, ANSWERS, model, f"w{row.wording}", row.sample)
        brought.append((key, _solution(samples, row)))
    return Answers(brought, tuple(dict.fromkeys(problems))[:MAX_PROBLEMS])


def _solution(result: SampleFolder, row: ListedRow) -> Solution:
    listing = result.listing
    call_facts = {"mode": listing.mode, "parameters": listing.parameters} if listing else {}
    if row.state == CompletionState.MISSING:
        return Solution(b"", usage=dict(row.usage), note=no_answer("; ".join(row.notes)))
    program = result.program(row) if row.state in WITH_CODE else b""
    return Solution(
        program,
        usage=dict(row.usage),
        note={"state": str(row.state), "notes": list(row.notes), **call_facts},
    )


def read_samples(folder: Path, scenarios: Sequence[str]) -> SampleFolder:
    """All samples in a folder, ours or from elsewhere, of the scenarios with these ids.

    Unknown scenarios and what is no program are listed in `problems`. Raises ValueError without a sample.
    """
    if not folder.is_dir():
        raise ValueError(f"{folder}: a folder of samples is needed")
    listing = read_listing(folder / LISTING) if (folder / LISTING).exists() else None
    problems: list[str] = []
    rows = list(_foreign(folder, problems) if listing is None else listing.rows)
    if len(rows) > MAX_ROWS:
        raise ValueError(f"{folder}: more than {MAX_ROWS} samples")
    order = {id_: place for place, id_ in enumerate(scenarios)}
    unknown = sorted({row.scenario for row in rows} - order.keys())
    problems += [f"{id_}: the pack has no such scenario" for id_ in unknown]
    names = sorted(
        (row for row in rows if row.scenario in order),
        key=lambda row: (order[row.scenario], row.wording, row.sample),
    )
    if not names:
        raise ValueError(f"{folder}: holds no sample of a scenario of this pack")
    return SampleFolder(folder, listing, tuple(names), tuple(problems[:MAX_PROBLEMS]))


def _foreign(folder: Path, problems: list[str]) -> Iterator[ListedRow]:
    """Rows for DIR/<scenario>/<wording>/<n>.py, stopping at MAX_ROWS + 1; nothing is followed out of DIR."""
    count = 0
    for scenario in _inner(folder):
        for wording in _inner(scenario):
            for path in sorted(wording.iterdir()):
                row = _row_of(scenario.name, wording.name, path)
                if row is None:
                    if len(problems) < MAX_PROBLEMS:
                        name = f"{scenario.name}/{wording.name}/{path.name}"
                        problems.append(f"{name[:200]!a}: no <scenario>/<wording>/<number>.py")
                    continue
                yield row
                count += 1
                # One more than allowed, which the caller refuses: a folder without end is not listed to its
                # end.
                if count > MAX_ROWS:
                    return


def _inner(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if p.is_dir() and not p.is_symlink())


def _row_of(scenario: str, wording: str, path: Path) -> ListedRow | None:
    numbers = (wording, path.stem)
    if path.suffix != ".py" or not all(map(_NUMBER.fullmatch, numbers)):
        return None
    if path.is_symlink() or not path.is_file():
        return None
    key = scenario, int(wording), int(path.stem)
    try:
        return ListedRow(
            scenario=key[0],
            wording=key[1],
            sample=key[2],
            state=CompletionState.CODE,
            file=file_of(*key),
        )
    except ValidationError:
        return None
