"""Predictions as SWE-bench users have them: a JSON list, a JSON dictionary by id, or JSON lines.

A file may be compressed with gzip. A folder is read for its `.pred` files, a prediction each, as SWE-agent
leaves them (`ID/ID.pred`).
Where a task requires an input, `model_input` is it in base64, with or without a `model_patch` beside it.
A folder of patches, `<task>__<name>.patch`, is an answer set too: the name stands for the model.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import stat
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from tasks.kinds import INPUT, new_file

MAX_FILE = 2 << 30
# Predictions come from anybody: a folder, an archive or a file may be made to fill the memory.
MAX_PRED_FILES = 100_000
MAX_PRED_BYTES = 256 << 20
NAMED_IDS = 5
PRED = ".pred"
GZIP = b"\x1f\x8b"
# How compressed files begin, and by what they are unpacked.
PACKED = {
    b"PK\x03\x04": "zip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\0": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}


# Between a task and a patch's name, in the name of a file.
BETWEEN = "__"


class PredictionError(ValueError):
    """The file is not predictions; the message names the file and the entry."""


@dataclass(frozen=True)
class Prediction:
    """A patch for a task. `model_patch` null means an empty patch (label NO)."""

    instance_id: str
    model: str
    patch: bytes


def read_predictions(path: Path) -> list[Prediction]:
    """All predictions of a file or folder. Raises PredictionError on anything else, duplicates included."""
    try:
        is_folder = path.is_dir()
        if is_folder and (patches := sorted(path.glob(f"*{BETWEEN}*.patch"))[: MAX_PRED_FILES + 1]):
            if len(patches) > MAX_PRED_FILES:
                raise PredictionError(f"{path}: more than {MAX_PRED_FILES} patches")
            return [_patch_file(patch) for patch in patches]
    except OSError as error:  # a name that is too long
        raise PredictionError(f"{path}: {error}") from error
    files, limit = (_pred_files(path), MAX_PRED_BYTES) if is_folder else ([path], MAX_FILE)
    predictions = [prediction for file in files for prediction in _predictions(file, limit)]
    if not predictions:
        raise PredictionError(f"{path}: holds no prediction")
    keys: set[tuple[str, str]] = set()
    for prediction in predictions:
        key = (prediction.instance_id, prediction.model)
        if key in keys:
            raise PredictionError(
                f"{path}: duplicate prediction for {key[0]!r} by {key[1] or 'no model'!r}"
            )
        keys.add(key)
    return predictions


def _pred_files(folder: Path) -> list[Path]:
    """The `.pred` files below a folder, sorted; links are not followed."""
    pred_files = (
        each for each in folder.rglob(f"*{PRED}") if each.is_file() and not each.is_symlink()
    )
    try:
        files = sorted(islice(pred_files, MAX_PRED_FILES + 1))
    except OSError as error:
        raise PredictionError(f"{folder}: {error.strerror or error}") from error
    if len(files) > MAX_PRED_FILES:
        raise PredictionError(f"{folder}: more than {MAX_PRED_FILES} {PRED} files")
    if not files:
        raise PredictionError(
            f"{folder}: Is a directory without {PRED} files; predictions are one file (.json, .jsonl): name "
            "one of its files, or join them into one list"
        )
    return files


def _predictions(path: Path, limit: int) -> list[Prediction]:
    text = _text(path, limit)
    try:
        return [_prediction(path, where, entry) for where, entry in _entries(path, text)]
    except _RepeatedKey as error:
        raise PredictionError(f"{path}: duplicate key {error.args[0]!r} in one object") from error


def _text(path: Path, limit: int) -> str:
    """The text of a file, unpacked where it is compressed with gzip."""
    try:
        if path.stat().st_size > limit:
            raise PredictionError(f"{path}: larger than {limit >> 20} MiB")
        data = path.read_bytes()
        if data.startswith(GZIP):
            with gzip.open(io.BytesIO(data)) as stream:
                # One byte more than allowed shows that it is larger, without unpacking a gzip bomb.
                data = stream.read(limit + 1)
            if len(data) > limit:
                raise PredictionError(f"{path}: unpacked larger than {limit >> 20} MiB")
        packed = next((name for magic, name in PACKED.items() if data.startswith(magic)), None)
        if packed:
            raise PredictionError(f"{path}: compressed with {packed}; unpack it first")
        # Tools on Windows write a byte order mark before UTF-8.
        return data.decode("utf-8-sig")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise PredictionError(f"{path}: {error}") from error


def _patch_file(path: Path) -> Prediction:
    """The patch of a file `<task>__<name>.patch`. Raises OSError, PredictionError."""
    task, _, name = path.stem.partition(BETWEEN)
    status = path.lstat()  # reading a pipe would wait for ever
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_PRED_BYTES:
        raise PredictionError(f"{path}: no plain file of at most {MAX_PRED_BYTES >> 20} MiB")
    return Prediction(task, name, path.read_bytes())


class _RepeatedKey(Exception):
    """An object names a key twice: either of two patches would be lost without a word."""


def _reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    for key, value in pairs:
        if key in mapping:
            raise _RepeatedKey(key)
        mapping[key] = value
    return mapping


def _entries(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    """(where, entry) for each of the three shapes."""
    try:
        whole = json.loads(text, object_pairs_hook=_reject_duplicate_keys)
    except RecursionError as error:
        raise PredictionError(f"{path}: nested too deeply") from error
    except ValueError:
        yield from _lines(path, text)
        return
    if isinstance(whole, list):
        yield from ((f"entry {number}", entry) for number, entry in enumerate(whole, 1))
    # A file of one line is an object by itself and no dictionary by ids.
    elif isinstance(whole, dict) and "instance_id" in whole:
        yield "line 1", whole
    elif isinstance(whole, dict):
        for id_, entry in whole.items():
            fields = dict(entry) if isinstance(entry, dict) else {"model_patch": entry}
            if fields.setdefault("instance_id", id_) != id_:
                raise PredictionError(f"{path}: entry {id_!r}: instance_id: differs from the key")
            yield f"entry {id_!r}", fields
    else:
        raise PredictionError(f"{path}: neither a list, a dictionary nor lines of predictions")


def _lines(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield f"line {number}", json.loads(line, object_pairs_hook=_reject_duplicate_keys)
        except (ValueError, RecursionError) as error:
            raise PredictionError(f"{path}: line {number}: not JSON: {error}") from error


def _prediction(path: Path, where: str, entry: Any) -> Prediction:
    if not isinstance(entry, dict):
        raise PredictionError(f"{path}: {where}: not an object")
    id_, patch = entry.get("instance_id"), entry.get("model_patch")
    model = entry.get("model_name_or_path")
    if not isinstance(id_, str) or not id_:
        raise PredictionError(f"{path}: {where}: instance_id: a non-empty string is needed")
    if not {"model_patch", "model_input"} & entry.keys():
        raise PredictionError(f"{path}: {where}: model_patch: missing")
    if patch is not None and not isinstance(patch, str):
        raise PredictionError(f"{path}: {where}: model_patch: a string or null is needed")
    if model is not None and not isinstance(model, str):
        raise PredictionError(f"{path}: {where}: model_name_or_path: a string is needed")
    left = _input(f"{path}: {where}: model_input", entry.get("model_input"))
    return Prediction(id_, model or "", patch_bytes(patch or "") + left)


def _input(where: str, value: Any) -> bytes:
    """The patch that makes an input of it. Raises PredictionError."""
    if value is None:
        return b""
    try:
        return new_file(INPUT, base64.b64decode(value, validate=True))
    except (TypeError, ValueError) as error:
        raise PredictionError(f"{where}: base64 is needed: {error}") from error


def left_out(ids: Sequence[str], pack: str) -> str:
    """A line on ids that are no tasks of a pack."""
    first = ", ".join(repr(name[:200]) for name in ids[:NAMED_IDS])
    more = ", ..." if len(ids) > NAMED_IDS else ""
    return f"{len(ids)} ids are no tasks of {pack}: left out: {first}{more}"


def patch_bytes(text: str) -> bytes:
    """The bytes of a patch; those that are no UTF-8 stand in the text as lone surrogates (PEP 383)."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that stands for no byte
        return text.encode("utf-8", "surrogatepass")
