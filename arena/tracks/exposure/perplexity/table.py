"""Perplexities that were computed before: a JSON or CSV file by text, or by the SHA-256 of its UTF-8.

JSON: {"model": "...", "perplexity": {text or sha256: number}}. CSV: the first line names the
columns, `perplexity` with `text` or `sha256`, and optionally `model`.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.tracks.exposure.perplexity._source import NoPerplexity, ReferenceUnusable, Wanted
from arena.tracks.exposure.reading import read_object, read_text
from arena.tracks.exposure.scores import expect_perplexity
from harness.grade.ports import ResultCache

_SHA256 = re.compile(r"[0-9a-fA-F]{64}")
BY = ("text", "sha256")
VALUE = "perplexity"


@dataclass(frozen=True)
class PerplexityTable:
    """by_digest: perplexities by the SHA-256 of their texts."""

    label: str
    by_digest: Mapping[str, float]

    def perplexity_of(self, text: str) -> float:
        result = self.by_digest.get(digest(text))
        if result is None:
            raise NoPerplexity(f"{self.label}: it lacks the text {text[:40]!r}")
        return result


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def load_table(path: Path) -> PerplexityTable:
    """Read a table; JSON where its first character is a brace. Raises ReferenceUnusable naming the entry."""
    try:
        text = read_text(path)
        if not text.strip():
            raise ReferenceUnusable(f"{path}: empty")
        model, entries = (_json if text.lstrip().startswith("{") else _csv)(path, text)
    except (ValueError, csv.Error) as error:
        message = str(error) if str(path) in str(error) else f"{path}: {error}"
        raise ReferenceUnusable(message) from error
    result: dict[str, float] = {}
    for name, key, value in entries:
        try:
            ppl = expect_perplexity(value)
        except ValueError as error:
            raise ReferenceUnusable(f"{path}: {name}: {error}") from error
        # Which of the two is right cannot be known.
        if result.setdefault(key, ppl) != ppl:
            raise ReferenceUnusable(f"{path}: {name}: there twice, with different perplexities")
    if not result:
        raise ReferenceUnusable(f"{path}: no perplexity")
    return PerplexityTable(f"{model or 'no model told'} (table {path.name})", result)


# (where it stands, digest, perplexity as it was read).
Entries = list[tuple[str, str, Any]]


def _json(path: Path, _: str) -> tuple[str, Entries]:
    whole = read_object(path)
    listed = whole.get(VALUE)
    if not isinstance(listed, dict):
        raise ValueError(f"{path}: {VALUE}: an object of texts is needed")
    model = whole.get("model", "")
    if not isinstance(model, str):
        raise ValueError(f"{path}: model: a name is needed")
    pairs = [(f"{key[:40]!r}", _digest(key), value) for key, value in listed.items()]
    return model, pairs


def _csv(path: Path, text: str) -> tuple[str, Entries]:
    rows = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    names = rows.fieldnames or []
    by = next((name for name in BY if name in names), None)
    if by is None or VALUE not in names:
        raise ValueError(f"{path}: neither JSON nor a CSV file with {VALUE} and text or sha256")
    models: set[str] = set()
    entries = list(_rows(rows, by, models))
    # Perplexities of two models are no scale together.
    if len(models) > 1:
        raise ValueError(f"{path}: model: one reference model is needed, not {len(models)}")
    return next(iter(models), ""), entries


def _rows(rows: csv.DictReader[str], by: str, models: set[str]) -> Iterator[tuple[str, str, Any]]:
    for row in rows:
        name, key, value = f"line {rows.line_num}", row.get(by), row.get(VALUE)
        if key is None or value is None:
            raise ValueError(f"{name}: cells are missing")
        if by == "sha256" and not _SHA256.fullmatch(key):
            raise ValueError(f"{name}: sha256: {key[:40]!r} is none")
        models.update({row["model"]} if row.get("model") else ())
        try:
            yield name, digest(key) if by == "text" else key.lower(), float(value)
        except ValueError as error:
            raise ValueError(f"{name}: {VALUE}: {value[:40]!r} is no number") from error


def _digest(key: str) -> str:
    """The digest of a key; a key of 64 hexadecimal digits is a digest already, since no wording looks so."""
    return key.lower() if _SHA256.fullmatch(key) else digest(key)


def PLUGIN(wanted: Wanted, cache: ResultCache) -> PerplexityTable:
    del cache  # a file need not be kept
    return load_table(Path(wanted.where))
