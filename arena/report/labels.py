"""Labels of people, read from a file: CSV with a header, JSONL, or a JSON list of objects."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tasks.whole_file import read_whole

MAX_LABELS = 16 << 20


class LabelsError(ValueError):
    """A file of labels is wrong; the message names file, line and field."""


def read_records(path: Path, option: str = "--labels") -> Iterator[tuple[str, dict[str, Any]]]:
    """(where, record) for each label; `where` names file and line for messages. Raises LabelsError."""
    # Spreadsheets write a byte order mark before UTF-8.
    text = read_whole(path, MAX_LABELS, LabelsError, f"{option}: ").decode("utf-8-sig", "replace")
    for number, record in _records(text):
        where = f"{option}: {path}: {number}"
        if not isinstance(record, dict):
            raise LabelsError(f"{where}: not an object")
        yield where, record


def _records(text: str) -> Iterator[tuple[str, Any]]:
    start = text.lstrip()[:1]
    if start == "{":
        return _jsonl(text)
    return _list(text) if start == "[" else _csv(text)


def _csv(text: str) -> Iterator[tuple[str, Any]]:
    reader = csv.DictReader(io.StringIO(text))
    try:
        for record in reader:
            yield f"line {reader.line_num}", record
    except csv.Error as error:
        yield f"line {reader.line_num}", f"{error}"


def _jsonl(text: str) -> Iterator[tuple[str, Any]]:
    # `splitlines` would also part at U+2028, which may stand in a text of JSON.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield f"line {number}", _json(line)


def _list(text: str) -> Iterator[tuple[str, Any]]:
    values = _json(text)
    if not isinstance(values, list):
        yield "line 1", None
        return
    for number, record in enumerate(values, 1):
        yield f"label {number}", record


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
