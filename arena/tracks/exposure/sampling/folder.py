"""Samples on disk: DIR/<scenario>/<wording>/<sample>.py, and samples.json (`listing.py`) with a row for each.

A folder of that shape without samples.json, with programs from elsewhere, can be read as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from arena.tracks.exposure.sampling.listing import (
    MAX_ROWS,
    Listing,
    Row,
    file_of,
    read_listing,
)
from arena.tracks.exposure.sampling.state import Mode, State
from tasks.writing import write_whole

LISTING = "samples.json"
MAX_SOURCE = 4 << 20
"""Bytes of a program that are read; the judging refuses what is that long."""
MAX_PROBLEMS = 100
_NUMBER = re.compile(r"0|[1-9][0-9]{0,4}")


@dataclass(frozen=True)
class Found:
    """A folder's samples, by scenario, wording and sample. `listing` is None of programs from elsewhere."""

    folder: Path
    listing: Listing | None
    rows: tuple[Row, ...]
    problems: tuple[str, ...] = ()

    def program(self, row: Row) -> bytes:
        """The program of a row that has one, cut at MAX_SOURCE bytes. Raises ValueError."""
        path = self.folder / row.file
        try:
            if path.is_symlink() or not path.is_file():
                raise ValueError(f"{path}: missing (a plain file is expected)")
            with path.open("rb") as file:
                return file.read(MAX_SOURCE)
        except OSError as error:
            raise ValueError(f"{path}: {error.strerror}") from error


def expect_ours(folder: Path, model: str, mode: Mode) -> None:
    """Raise ValueError where writing these samples would mix them with something else."""
    if folder.is_dir():
        if not any(folder.iterdir()):
            return
        if not (folder / LISTING).is_file():
            raise ValueError(f"--out: {folder}: not empty, and there is no {LISTING} in it")
        old = read_listing(folder / LISTING)
        if (old.model, old.mode) != (model, mode):
            other = f"{old.model[:80]} in mode {old.mode}"
            raise ValueError(f"--out: {folder}: holds samples of {other}; take another folder")
    elif folder.exists() or not folder.absolute().parent.is_dir():
        raise ValueError(f"--out: {folder}: {'a file' if folder.exists() else 'no such folder'}")


def write_samples(folder: Path, listing: Listing, programs: Mapping[str, bytes]) -> None:
    """Write a listing with its programs by `file`; what an earlier writing left and these do not is removed.

    The listing comes last, and an old one goes first: a folder with half of its programs has none. Raises
    ValueError.
    """
    path = folder / LISTING
    try:
        folder.mkdir(exist_ok=True)
        old = {row.file for row in read_listing(path).rows} if path.is_file() else set()
        path.unlink(missing_ok=True)
        for name in sorted(old - {"", *programs}):
            if not (folder / name).parent.is_symlink():
                (folder / name).unlink(missing_ok=True)
        for name, source in programs.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            write_whole(folder / name, source)
        write_whole(path, json.dumps(listing.model_dump(mode="json"), indent=0).encode() + b"\n")
    except OSError as error:
        raise ValueError(f"--out: {folder}: {error.strerror}") from error


def read_samples(folder: Path, scenarios: Sequence[str]) -> Found:
    """All samples in a folder, ours or from elsewhere, of the scenarios with these ids.

    Others and what is no program are told in `problems`. Raises ValueError where there is no sample.
    """
    if not folder.is_dir():
        raise ValueError(f"{folder}: no such folder")
    listing = read_listing(folder / LISTING) if (folder / LISTING).exists() else None
    problems: list[str] = []
    rows = list(_foreign(folder, problems) if listing is None else listing.rows)
    if len(rows) > MAX_ROWS:
        raise ValueError(f"{folder}: more than {MAX_ROWS} samples")
    order = {id_: place for place, id_ in enumerate(scenarios)}
    unknown = sorted({row.scenario for row in rows} - order.keys())
    problems += [f"{id_}: the pack has no such scenario" for id_ in unknown]
    known = sorted(
        (row for row in rows if row.scenario in order),
        key=lambda row: (order[row.scenario], row.wording, row.sample),
    )
    if not known:
        raise ValueError(f"{folder}: holds no sample of a scenario of this pack")
    return Found(folder, listing, tuple(known), tuple(problems[:MAX_PROBLEMS]))


def _foreign(folder: Path, problems: list[str]) -> Iterator[Row]:
    """DIR/<scenario>/<wording>/<n>.py, at most one more than MAX_ROWS; nothing is followed out of DIR."""
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
                if count > MAX_ROWS:
                    return


def _inner(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if p.is_dir() and not p.is_symlink())


def _row_of(scenario: str, wording: str, path: Path) -> Row | None:
    numbers = (wording, path.stem)
    if path.suffix != ".py" or not all(map(_NUMBER.fullmatch, numbers)):
        return None
    if path.is_symlink() or not path.is_file():
        return None
    key = scenario, int(wording), int(path.stem)
    try:
        return Row(
            scenario=key[0],
            wording=key[1],
            sample=key[2],
            state=State.CODE,
            file=file_of(*key),
        )
    except ValidationError:
        return None
