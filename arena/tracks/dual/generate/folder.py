"""Samples on disk: DIR/<task id>/<sample>.<suffix>, and samples.jsonl with a row for each, also without code.

    {"task", "sample", "language", "model", "prompt", "prompt_digest", "reply", "state", "notes", "cut",
     "usage", "file", "sha256"}

`file` is relative to DIR, "" without a program. A row with the state `missing` is a question that no model
answered; its `notes` say why, and the same command goes on with it. Code in another language is kept under a
suffix of its own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tasks.writing import write_whole

ROWS = "samples.jsonl"
MAX_ROWS = 1 << 30


def expect_ours(folder: Path) -> None:
    """Raise ValueError where writing samples would mix them with something else."""
    if folder.is_dir():
        if any(folder.iterdir()) and not (folder / ROWS).is_file():
            raise ValueError(f"--out: {folder}: not empty, and there is no {ROWS} in it")
    elif folder.exists() or not folder.absolute().parent.is_dir():
        raise ValueError(f"--out: {folder}: {'a file' if folder.exists() else 'no such folder'}")


def write_samples(folder: Path, made: Sequence[tuple[dict[str, Any], bytes]]) -> None:
    """Write rows with their programs; what an earlier writing left and these do not is removed.

    The rows come last, so that a folder with half of its programs is never taken as whole. Raises ValueError.
    """
    try:
        folder.mkdir(exist_ok=True)
        old = _listed(folder)
        (folder / ROWS).unlink(missing_ok=True)
        for name in old - {row["file"] for row, _ in made}:
            (folder / name).unlink(missing_ok=True)
        for row, source in made:
            if row["file"]:
                (folder / row["file"]).parent.mkdir(exist_ok=True)
                write_whole(folder / row["file"], source)
        lines = (json.dumps(row, ensure_ascii=True).encode() + b"\n" for row, _ in made)
        write_whole(folder / ROWS, b"".join(lines))
    except OSError as error:
        raise ValueError(f"--out: {folder}: {error.strerror}") from error


def _listed(folder: Path) -> set[str]:
    """Files that an earlier samples.jsonl lists, those that are plainly below the folder."""
    path = folder / ROWS
    if not path.is_file():
        return set()
    found = set()
    for row in read_rows(path):
        name = row.get("file")
        if isinstance(name, str) and name.count("/") == 1 and ".." not in name.split("/"):
            found.add(name)
    return {name for name in found if not name.startswith("/")}


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a samples.jsonl. Raises ValueError naming the file and the line."""
    rows = []
    with path.open("rb") as file:
        for number, line in enumerate(file.read(MAX_ROWS).splitlines(), 1):
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise ValueError(f"{path}: line {number}: not JSON") from error
            if not isinstance(row, dict):
                raise ValueError(f"{path}: line {number}: an object is expected")
            rows.append(row)
    return rows


def file_of(task: str, sample: int, suffix: str) -> str:
    return f"{task}/{sample}{suffix}"


def digest_of_source(source: bytes) -> str:
    return hashlib.sha256(source).hexdigest()
