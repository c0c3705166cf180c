"""A case store: a folder with a subfolder for each case, and the list of what was rejected.

<store>/<id>/case.toml     see `loader.py`; a folder without it holds no case
<store>/<id>/instruction.md, fixed.patch, ...   files for its task, see `TRAVELLING`
<store>/recipes/<project>/<tree>/   a project's folder of OSS-Fuzz, see `arena.building.oss_fuzz`
<store>/oss-fuzz            a link to the checkout of OSS-Fuzz that they come from
<store>/rejected.json      [{"id", "reason", "source"}]: what imports left out, and why
"""

from __future__ import annotations

import difflib
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import tomli_w

from arena.building.cases.loader import CASE_FILE, LoadedCase, load_case
from arena.building.cases.schema import Case
from tasks.loader import TaskError
from tasks.writing import write_whole

REJECTED_FILE = "rejected.json"
RESERVED = frozenset(
    ("projects", "repositories", "recipes", "oss-fuzz", "campaigns", REJECTED_FILE)
)
MAX_REJECTED = 64 << 20
NEAR = 5


def to_toml(case: Case) -> str:
    """`case.toml` of a case: only what differs from the defaults. `Case` reads it back as it was."""
    content = case.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    if case.environment and case.environment.form:  # which has defaults of its own
        environment = case.environment.model_dump(mode="json", exclude_none=True)
        content["environment"] = {name: value for name, value in environment.items() if value != ""}
        content["environment"]["workdir"] = case.environment.workdir
    return tomli_w.dumps({"schema": case.schema_, **content})


def save(
    store: Path, case: Case, files: Mapping[str, bytes] | None = None, replace: bool = True
) -> bool:
    """Write a case and files beside it (relative path -> content); returns whether it was written.

    An existing case is left alone unless `replace`. `case.toml` comes last, by renaming, so that a case
    is either there as a whole or not. Raises TaskError for an id that the store keeps for itself, a
    path that leaves the folder, and a store that cannot be written.
    """
    if case.id in RESERVED:
        raise TaskError(f"{store}: no case can be named {case.id!r}")
    folder = store / case.id
    if not replace and (folder / CASE_FILE).exists():
        return False
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in (files or {}).items():
            parts = PurePosixPath(name).parts
            if not parts or parts[0] == "/" or ".." in parts or name == CASE_FILE:
                raise TaskError(f"{folder}: {name!r} is no path for a file of a case")
            path = folder.joinpath(*parts)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, content)
        # The last file: a folder without it is no case, so an interrupt leaves no half a case.
        write_whole(folder / CASE_FILE, to_toml(case).encode())
    except OSError as error:
        raise TaskError(f"{folder}: {error.strerror}") from error
    return True


def folders(store: Path) -> list[Path]:
    """The folders of all cases, numbers in their order and before names. Raises TaskError."""
    try:
        with os.scandir(store) as entries:
            names = [entry.name for entry in entries if entry.name not in RESERVED]
    except FileNotFoundError as error:
        raise TaskError(f"{store}: no case store there (`arena cases import` makes one)") from error
    except OSError as error:
        raise TaskError(f"{store}: {error.strerror}") from error
    return [
        store / name
        for name in sorted(names, key=natural_key)
        if (store / name / CASE_FILE).is_file()
    ]


def natural_key(name: str) -> tuple[Any, ...]:
    """Sorts 738 before 5296, and both before brook-include."""
    digits = re.fullmatch(r"[0-9]+", name)
    return (0, len(name.lstrip("0")), name.lstrip("0"), name) if digits else (1, 0, name, name)


def cases(store: Path, repositories: Path | None = None) -> Iterator[LoadedCase]:
    """All cases in order, each loaded lazily. Raises TaskError at the first that is wrong."""
    for folder in folders(store):
        yield load_from(folder, repositories)


def find(store: Path, id_: str, repositories: Path | None = None) -> LoadedCase:
    """The case of that id. Raises TaskError naming similar ids when there is none."""
    named = re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,99}", id_) and id_ not in RESERVED
    if named and (store / id_ / CASE_FILE).is_file():
        return load_from(store / id_, repositories)
    names = [path.name for path in folders(store)]
    near = difflib.get_close_matches(id_[:100], names, NEAR, 0.4) or names[:NEAR]
    hint = (
        f"; there are {len(names)}, such as {', '.join(near)}" if near else "; the store is empty"
    )
    raise TaskError(f"{store}: no case {id_[:100]!r}{hint}")


def load_from(folder: Path, repositories: Path | None = None) -> LoadedCase:
    """The case in a folder of a store, which must bear its id. Raises TaskError."""
    case = load_case(folder, repositories)
    if case.id != folder.name:
        raise TaskError(
            f"{folder / CASE_FILE}: id: {case.id!r} differs from the folder's name {folder.name!r}"
        )
    return case


def load_rejected(store: Path) -> list[dict[str, str]]:
    """The records that imports rejected: id, reason, source. Raises TaskError when unreadable."""
    path = store / REJECTED_FILE
    try:
        if path.stat().st_size > MAX_REJECTED:
            raise TaskError(f"{path}: larger than {MAX_REJECTED >> 20} MiB")
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise TaskError(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise TaskError(f"{path}: not JSON: {error}") from error
    if not isinstance(content, list) or not all(map(_is_entry, content)):
        raise TaskError(f"{path}: not a list of objects of texts")
    return content


def _is_entry(entry: object) -> bool:
    return (
        isinstance(entry, dict)
        and {"id", "reason"} <= entry.keys()
        and all(isinstance(value, str) for value in entry.values())
    )


def keep_rejected(store: Path, entries: list[dict[str, str]], source: str, taken: set[str]) -> None:
    """Record what an import of `source` rejected, in place of what it rejected before.

    `taken` are the ids it accepted: earlier rejections of these are over. Raises TaskError.
    """
    again = {entry["id"] for entry in entries} | taken
    # A second import of one source replaces its own rejections, and what another import took is rejected no
    # more.
    rejected = [
        e for e in load_rejected(store) if e.get("source") != source and e["id"] not in again
    ]
    entries_rejected = rejected + [{**entry, "source": source} for entry in entries]
    entries_rejected.sort(key=lambda entry: natural_key(entry["id"]))
    if not entries_rejected and not (store / REJECTED_FILE).exists():
        return
    try:
        write_whole(store / REJECTED_FILE, json.dumps(entries_rejected, indent=1).encode() + b"\n")
    except OSError as error:
        raise TaskError(f"{store / REJECTED_FILE}: {error.strerror}") from error
