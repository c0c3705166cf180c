"""ARVO-Meta's JSON release: a folder of `<id>.json`, or a single such file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from arena.building.cases.importers import Imported, ImporterExample, Rejected, writes
from arena.building.cases.importers._arvo import from_record
from arena.building.cases.importers._report_text import read_comments
from arena.building.cases.store import REJECTED_FILE, natural_key
from tasks.loader import TaskError

MAX_RECORD = 16 << 20
MAX_COMMENTS = 1000
BELOW = (".", "meta", "archive_data/meta")  # where a clone of the release has its records
HASH = "0123456789abcdef0123456789abcdef01234567"
RECORD = {
    "localId": 17,
    "project": "brook",
    "fix_commit": HASH,
    "sanitizer": "msan",
    "crash_type": "Use-of-uninitialized-value",
    "repo_addr": "https://example.org/brook.git",
}


class _Twice(ValueError):
    pass


class ArvoJson:
    """See `Importer`."""

    what = "a folder of ARVO's <id>.json, or one of them"
    examples = (
        ImporterExample(writes({"17.json": json.dumps(RECORD)}), imported=("17",)),
        ImporterExample(
            writes(
                {
                    "17.json": json.dumps({**RECORD, "fix_commit": [HASH, "a" * 40]}),
                    "18.json": '{"localId": 18,',
                    "19.json": json.dumps(
                        {**RECORD, "localId": 19, "repo_addr": "http://hg.x.org/y"}
                    ),
                    "20.json": json.dumps({**RECORD, "localId": 20, "fix_commit": "1895"}),
                    "21.json": '{"localId": 21, "localId": 22}',
                    "22.json": b"\xff",
                    "23.json": "[" * 100_000,
                }
            ),
            imported=("17",),
            rejected={
                "18": "not JSON",
                "19": "repository is Mercurial",
                "20": "not 40 hexadecimal digits",
                "21": "twice",
                "22": "not UTF-8",
                "23": "nested too deeply",
            },
        ),
    )

    def recognises(self, path: Path) -> bool:
        if path.is_dir():
            return not _other_source(path) and any(_records(path))
        return path.suffix == ".json" and path.is_file()

    def read(self, path: Path) -> Iterator[Imported | Rejected]:
        if not path.is_dir():
            yield from _read_file(path)
            return
        for file in sorted(_records(path), key=lambda file: natural_key(file.stem)):
            yield from _read_file(file)

    def read_one(self, path: Path, id_: str) -> Iterator[Imported | Rejected]:
        files = (path / below / f"{id_}.json" for below in BELOW)
        return self.read(next((file for file in files if file.is_file()), path))


def _other_source(folder: Path) -> bool:
    """Folders with cases or tasks may hold JSON beside them."""
    return (folder / "pack.toml").is_file() or next(folder.glob("*/case.toml"), None) is not None


def _records(folder: Path) -> Iterator[Path]:
    """The records of the first place that has any."""
    for below in BELOW:
        json_files = (
            file for file in (folder / below).glob("*.json") if file.name != REJECTED_FILE
        )
        first = next(json_files, None)
        if first is not None:
            yield first
            yield from json_files
            return


def _read_file(path: Path) -> Iterator[Imported | Rejected]:
    if not path.is_file():
        yield Rejected(path.stem, f"{path.name}: not a plain file")
        return
    try:
        with path.open("rb") as file:
            data = file.read(MAX_RECORD + 1)
    except OSError as error:
        yield Rejected(path.stem, f"{path.name}: {error.strerror}")
        return
    yield from records_in(data, path.name)


def records_in(data: bytes, name: str) -> Iterator[Imported | Rejected]:
    """The record of a file of the release, or its list of records. name: `<id>.json`."""
    stem = name.removesuffix(".json")
    try:
        content = _parse_record(data, name)
    except TaskError as error:
        yield Rejected(stem, str(error))
        return
    records = content if isinstance(content, list) else [content]
    for number, record in enumerate(records):
        record_name = stem if record is content else f"{stem}[{number}]"
        if isinstance(record, dict):
            yield from_record(record, read_comments(_comments(record.get("report"))), record_name)
        else:
            yield Rejected(record_name, f"{name}: no record (an object is expected)")


def _parse_record(data: bytes, name: str) -> Any:
    """The content of a JSON file. Raises TaskError with a line that names the file."""
    if len(data) > MAX_RECORD:
        raise TaskError(f"{name}: larger than {MAX_RECORD >> 20} MiB")
    try:
        # Python takes the last of two equal keys, other readers the first: such a record has two meanings.
        return json.loads(data.decode("utf-8-sig"), object_pairs_hook=_reject_duplicate_keys)
    except UnicodeDecodeError as error:
        raise TaskError(f"{name}: not UTF-8 ({error.reason} at byte {error.start})") from error
    except _Twice as error:
        raise TaskError(f"{name}: {error}") from error
    except RecursionError as error:
        raise TaskError(f"{name}: nested too deeply") from error
    except ValueError as error:
        raise TaskError(f"{name}: not JSON: {error}") from error


def _reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        keys: set[str] = set()
        twice = next(key for key, _ in pairs if key in keys or keys.add(key))  # type: ignore[func-returns-value]
        raise _Twice(f"key {twice[:60]!r} is given twice")
    return mapping


def _comments(report: object) -> Iterator[str]:
    """The texts of a record's report, which is an issue with comments, or itself a text."""
    if isinstance(report, str):
        yield report
    comments = report.get("comments") if isinstance(report, dict) else None
    for comment in comments[:MAX_COMMENTS] if isinstance(comments, list) else ():
        text = comment.get("content") if isinstance(comment, dict) else None
        if isinstance(text, str):
            yield text


PLUGIN = ArvoJson()
