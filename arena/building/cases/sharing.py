"""Tables that cases share: the store's, those of each project, and the placeholders in all of them.

<store>/defaults.toml           for all cases
<store>/projects/<name>.toml    for the cases of a project; what it says goes before the defaults
<store>/<id>/case.toml          what the case says itself goes before both
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from arena.building.cases.schema import Case, CrashSpec
from parsers import registry, reports
from tasks.loader import TaskError
from tasks.whole_file import read_whole

DEFAULTS = "defaults.toml"
MAX_TOML = 4 << 20
SHARED = ("repository", "language", "environment", "poc", "task", "tests", "limits", "szz")
PLAIN = re.compile(r"[A-Za-z0-9_.+~-]{1,200}")
PLACEHOLDER = re.compile(
    r"(?<!\$)\{(project|target|testcase|sanitizer|id)\}"
)  # ${id} is the shell's


@dataclass(frozen=True)
class TableLayer:
    """A file with tables of a case."""

    path: Path
    content: dict[str, Any]


def layers_of(file: Path, store: Path) -> list[TableLayer]:
    """The case's file, its project's and the store's, as far as they are there. Raises TaskError."""
    layer = read_toml(file)
    name = layer.get("project")
    # The name becomes a path below `projects/`, and is foreign.
    plain = isinstance(name, str) and PLAIN.fullmatch(name)
    places = [store / "projects" / f"{name}.toml"] if plain else []
    shared = [path for path in (*places, store / DEFAULTS) if path.is_file()]
    return [TableLayer(file, layer), *(TableLayer(path, _read_shared(path)) for path in shared)]


def merge_layers(layers: Sequence[TableLayer]) -> tuple[Case, tuple[str, ...]]:
    """The case that the layers make, the first before the others, and placeholders without a value.

    Raises TaskError naming the file at fault.
    """
    first_layer = layers[0]
    merged: dict[str, Any] = {}
    for layer in reversed(layers):
        for key, table in layer.content.items():
            below = merged.get(key)
            both = isinstance(table, dict) and isinstance(below, dict)
            merged[key] = {**below, **table} if both else table  # type: ignore[dict-item]
    try:
        filled, unfilled = _fill_placeholders(merged, first_layer.content)
        spec = Case.model_validate(filled)
    except ValidationError as error:
        first = error.errors()[0]
        named = (layer.path for layer in layers if _is_stated(layer.content, first["loc"]))
        field = ".".join(str(part) for part in first["loc"])
        raise TaskError(f"{next(named, first_layer.path)}: {field}: {first['msg']}") from error
    except RecursionError as error:  # a dotted key of thousands of parts
        raise TaskError(f"{first_layer.path}: tables are nested too deeply") from error
    if spec.tests is not None:
        try:
            reports.expect(spec.tests.parser)
        except (registry.UnknownName, ValueError) as error:
            raise TaskError(f"{first_layer.path}: tests.parser: {error}") from error
    return spec, unfilled


def read_toml(path: Path) -> dict[str, Any]:
    """The content of a TOML file of up to 4 MiB. Raises TaskError with a line."""
    if not path.exists():
        raise TaskError(f"{path}: missing")
    data = read_whole(path, MAX_TOML, TaskError)
    try:
        return tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise TaskError(f"{path}: not TOML: {error}") from error


def _read_shared(path: Path) -> dict[str, Any]:
    content = read_toml(path)
    other_keys = [key for key in content if key not in SHARED]
    if other_keys:
        raise TaskError(f"{path}: {other_keys[0]}: cases share only {', '.join(SHARED)}")
    return content


def _fill_placeholders(
    tables: Mapping[str, Any], case_tables: Mapping[str, Any]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Shared tables with the placeholders replaced, and the placeholders without a value.

    A value ends in a shell command and may come from a report, so only plain names are taken.
    """
    report, crash = (case_tables.get(key, {}) for key in ("oss_fuzz", "crash"))
    report, crash = (table if isinstance(table, dict) else {} for table in (report, crash))
    values = {
        "project": case_tables.get("project"),
        "target": report.get("target"),
        "testcase": report.get("testcase"),
        "sanitizer": crash.get("sanitizer", CrashSpec().sanitizer),
        "id": case_tables.get("id"),
    }
    missing: dict[str, None] = {}

    def value(match: re.Match[str]) -> str:
        shared_value = values[match[1]]
        # A report's "target" of `x; rm -rf ~` would run in the build's shell otherwise.
        if isinstance(shared_value, str) and PLAIN.fullmatch(shared_value):
            return shared_value
        missing[match[1]] = None
        return match[0]

    def fill(item: Any) -> Any:
        if isinstance(item, dict):
            return {name: fill(inner) for name, inner in item.items()}
        return PLACEHOLDER.sub(value, item) if isinstance(item, str) else item

    filled = {key: fill(table) if key in SHARED else table for key, table in tables.items()}
    return filled, tuple(missing)


def _is_stated(content: object, location: tuple[int | str, ...]) -> bool:
    for part in location[:2]:
        if not isinstance(content, dict) or part not in content:
            return False
        content = content[part]
    return True
