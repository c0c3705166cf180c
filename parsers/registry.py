"""Find a plug-in by name: each file in a package is an entry, imported only when it is used.

`names("parsers.reports")` lists the files; `lookup("parsers.reports", "tap")` imports
`parsers/reports/tap.py` and returns its `PLUGIN`. A dotted `package.module:attribute` works as well,
so that an entry can live outside the project. An installed distribution adds to the packages in GROUPS by
entry points; what it names cannot replace a file of this project.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parsers.suggestions import suggest_names

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# Package -> group of the entry points that add to it.
GROUPS = {
    "harness.agents": "arena.agents",
    "arena.exchange.formats": "arena.reports",
    "arena.sweep.engines": "arena.engines",
    "arena.tracks": "arena.tracks",
    "harness.grade.sast": "arena.scanners",
    "parsers.reports": "arena.formats",
    "tasks.packs": "arena.packs",
}
# What the object behind an entry point must have, so that a wrong one is reported when it is loaded.
NEEDS = {
    "arena.engines": ("expect", "open", "submit", "events", "close"),
    "arena.tracks": ("__path__",),  # a package
    "arena.reports": ("write",),
    "arena.scanners": ("wants", "scan"),
    "arena.formats": ("detect", "parse"),
}


class UnknownName(LookupError):
    """No entry of that name, or an entry that cannot be loaded; the message is a single line."""


def names(package: str) -> list[str]:
    """Names of all entries of `package`: file names, with `-` for `_`, and what is installed; sorted."""
    return sorted({*_list_module_names(package), *installed_plugins(package)})


def lookup(package: str, name: str) -> Any:
    """Return the `PLUGIN` of entry `name` in `package`, or the object at `module:attribute`.

    Raises UnknownName when there is no such entry.
    """
    if ":" in name:
        module_name, _, attribute = name.partition(":")
        if module_name.startswith("."):  # relative to nothing: importlib raises TypeError
            raise UnknownName(f"cannot import {name!r}: a module is named from its top")
        try:
            return getattr(importlib.import_module(module_name), attribute)
        except (ImportError, AttributeError) as error:
            raise UnknownName(f"cannot import {name!r}: {error}") from error
    plugin = installed_plugins(package).get(name)
    return load(plugin) if plugin else module(package, name).PLUGIN


def module(package: str, name: str) -> Any:
    """The module of entry `name` in `package`, which must be part of this project. Raises UnknownName."""
    # Checked before the import, so that a missing name is answered by close names.
    if name not in _list_module_names(package):
        raise UnknownName(f"unknown name {name!r}; {suggest_names(name, names(package))}")
    return importlib.import_module(f"{package}.{name.replace('-', '_')}")


def directory(package: str) -> Path:
    """The folder of `package` on disk."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise UnknownName(f"no package {package!r}")
    return Path(next(iter(spec.submodule_search_locations)))


def installed_plugins(package: str) -> Mapping[str, EntryPoint]:
    """What installed distributions add to `package`, by name; nothing of it is loaded."""
    group = GROUPS.get(package)
    if group is None:
        return {}
    module_names = () if package == "tasks.packs" else _list_module_names(package)
    return {
        name: entry
        for name, entry in _entries(group, tuple(sys.path)).items()
        if name not in module_names
    }


def load(entry: EntryPoint) -> Any:
    """The object behind an entry point. Raises UnknownName for a broken entry, and names the distribution."""
    dist = f"{entry.dist.name} {entry.dist.version}" if entry.dist else "an unknown distribution"
    subject = f"{entry.name!r} of the installed package {dist} ({entry.group})"
    try:
        plugin = entry.load()
    # A plug-in of another distribution runs any code when it is loaded, and may raise whatever it likes.
    except Exception as error:
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise UnknownName(f"{subject} cannot be loaded: {why}") from error
    lacks = [name for name in NEEDS.get(entry.group, ()) if not hasattr(plugin, name)]
    if lacks:
        raise UnknownName(f"{subject} lacks {', '.join(lacks)}; see docs/extending.md")
    return plugin


def _list_module_names(package: str) -> list[str]:
    """Names of the files of `package`."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.submodule_search_locations is None:
        raise UnknownName(f"no package {package!r}")
    folders = tuple(spec.submodule_search_locations)
    return _list_modules(folders, tuple(map(_changed_ns, folders)))


def _changed_ns(folder: str) -> int:
    """When a folder was last changed; 0 where it is not on disk, such as a package in an archive."""
    try:
        return Path(folder).stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=256)
def _list_modules(folders: tuple[str, ...], changed: tuple[int, ...]) -> list[str]:
    """The public modules in these folders; `changed`, the folders' times, is part of the cache's key."""
    module_names = (module.name for module in pkgutil.iter_modules(folders))
    return [name.replace("_", "-") for name in module_names if not name.startswith("_")]


@lru_cache(maxsize=32)
def _entries(group: str, path: tuple[str, ...]) -> dict[str, EntryPoint]:
    """The entry points of a group; `path` is what they were looked for in."""
    from importlib.metadata import entry_points  # a tenth of the time of `arena --help`

    return {entry.name: entry for entry in reversed(list(entry_points(group=group)))}
