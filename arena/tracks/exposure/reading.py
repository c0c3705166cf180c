"""Small JSON files of users, read whole, with a clear line for each kind of mistake in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tasks.whole_file import read_whole

MAX_BYTES = 64 * 2**20


def read_text(path: Path, limit: int = MAX_BYTES) -> str:
    """A file's text (UTF-8). Raises ValueError naming the file."""
    data = read_whole(path, limit)
    try:
        # Editors on Windows write a byte order mark before UTF-8.
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: no UTF-8 at byte {error.start}") from error


def read_object(path: Path, limit: int = MAX_BYTES) -> dict[str, Any]:
    """A file's JSON object. Raises ValueError naming the file, also where a key is there twice."""
    text = read_text(path, limit)
    if not text.strip():
        raise ValueError(f"{path}: empty")
    try:
        result = json.loads(text, object_pairs_hook=_reject_duplicates)
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}: no JSON: {error.msg} in line {error.lineno}") from error
    except RecursionError as error:
        raise ValueError(f"{path}: no JSON of ours: nested too deeply") from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    if not isinstance(result, dict):
        raise ValueError(f"{path}: a JSON object is needed")
    return result


def _reject_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    duplicates: dict[str, Any] = {}
    for key, value in pairs:
        if key in duplicates:
            raise ValueError(f"{key[:80]!r} is there twice")
        duplicates[key] = value
    return duplicates
