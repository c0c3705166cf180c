"""Reads TOML into a validated `SweepSpec`: errors in a single line, and absolute paths."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from arena.report.text import one_line
from arena.sweep.schema import Exclusion, SweepSpec
from harness.gateway.models._script_file import script_file
from harness.user_names import strip_name
from tasks.whole_file import first_mistake, read_whole

MAX_FILE = 1 << 20
FILES_OF_MODELS = ("script:", "replay:")
PLAIN_SCANNERS = ("", "builtin")
SCANNERS = ("p/", "tool:")
MAX_SHOWN = 120
MAX_LINE = 1_500
# pydantic's messages -> messages for people.
PLAINER = {
    "Tuple should": "should",
    "Input should": "should",
    "Field required": "needed",
}


class SweepError(ValueError):
    """A sweep file is wrong; the message is a line that names the file and the field."""

    def __init__(self, message: str) -> None:
        line = one_line(message)
        super().__init__(line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}...")


def read_table(path: Path) -> dict[str, Any]:
    """The TOML of a sweep file. Raises SweepError."""
    content = read_whole(path, MAX_FILE, SweepError)
    try:
        # Editors on Windows write a byte order mark before UTF-8.
        return tomllib.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # a number of 5000 digits, deep nesting
        raise SweepError(f"{path}: not TOML: {_short(error)}") from error


def validate_spec(table: Mapping[str, Any], where: str) -> SweepSpec:
    """The spec of a table. Raises SweepError for the first mistake, an unknown field before others."""
    try:
        return SweepSpec.model_validate(table)
    except ValidationError as error:
        text = first_mistake(error, "", SweepSpec).removeprefix(": ")
        raise SweepError(f"{where}: {_short(text)}") from error


def expect_some(table: Mapping[str, Any], where: str) -> None:
    """Reject an empty line of a filter: a program without any match may have written it, and it is no "all".

    Raises SweepError.
    """
    for name, values in table.get("filter", {}).items():
        if values in ([], (), ""):
            raise SweepError(f"{where}: filter.{name}: names nothing; leave the line out for all")


def _short(error: object) -> str:
    words = " ".join(str(error).split())
    for theirs, ours in PLAINER.items():
        words = words.replace(theirs, ours)
    return words if len(words) <= 3 * MAX_SHOWN else f"{words[: 3 * MAX_SHOWN]}..."


# paths: what a sweep file names is looked for beside it, wherever the command is started


def with_absolute_paths(spec: SweepSpec, base: Path) -> SweepSpec:
    """The spec with each file and folder that it names as an absolute path, relative ones below `base`."""
    matrix, models = spec.matrix, spec.models
    moved = {
        "models": tuple(_resolve_model(base, name) for name in matrix.models),
        "prompts": tuple(_resolve_prompt(base, name) for name in matrix.prompts),
        "exclude": tuple(_resolve_exclusion(base, exclusion) for exclusion in matrix.exclude),
    }
    changes: dict[str, Any] = {
        "pack": _resolve_pack(base, spec.pack),
        "sast": _resolve_scanner(base, spec.sast),
        "matrix": matrix.model_copy(update=moved),
        "models": models.model_copy(
            update={"prices": _resolve_file(base, models.prices) if models.prices else ""}
        ),
    }
    for name in ("budget", "concurrency"):
        part = getattr(spec, name)
        keyed = {_resolve_model(base, key): value for key, value in part.models.items()}
        changes[name] = part.model_copy(update={"models": keyed})
    return spec.model_copy(update=changes)


def _resolve_file(base: Path, name: str) -> str:
    return str((base / Path(name).expanduser()).resolve())


def _resolve_pack(base: Path, name: str) -> str:
    """With a `/` a path; else what is beside the sweep file; else the name of a pack that ships."""
    path = base / name
    is_there = (path / "pack.toml").is_file() or path.is_file()
    return _resolve_file(base, name) if "/" in name or is_there else name


def _resolve_model(base: Path, text: str) -> str:
    name = strip_name(text)
    prefix = text.removesuffix(name)
    for kind in FILES_OF_MODELS:
        named = name.removeprefix(kind)
        if named == name:
            continue
        is_beside = (base / named).is_file()
        if is_beside or (kind == "script:" and script_file(named) == Path(named)):
            return prefix + kind + _resolve_file(base, named)
    return text


def _resolve_prompt(base: Path, name: str) -> str:
    """Names of prompts have neither a `/` nor a suffix."""
    return _resolve_file(base, name) if "/" in name or Path(name).suffix else name


def _resolve_scanner(base: Path, name: str) -> str:
    plain = name in PLAIN_SCANNERS or name.startswith(SCANNERS)
    return name if plain else _resolve_file(base, name)


def _resolve_exclusion(base: Path, exclusion: Exclusion) -> Exclusion:
    changes = {
        name: move(base, value)
        for name, move in (("model", _resolve_model), ("prompt", _resolve_prompt))
        if (value := getattr(exclusion, name))
    }
    return exclusion.model_copy(update=changes)
