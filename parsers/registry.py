"""Find a plug-in by name: one file in a package is one entry, imported only when it is used.

`names("parsers.reports")` lists the files; `lookup("parsers.reports", "tap")` imports
`parsers/reports/tap.py` and returns its `PLUGIN`. A dotted `package.module:attribute` works as well,
so that an entry can live outside the project.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from pathlib import Path
from typing import Any


class UnknownName(LookupError):
    """No entry of that name; the message lists the names that there are."""


def names(package: str) -> list[str]:
    """Names of all entries of `package` (file names, with `-` for `_`), sorted."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.submodule_search_locations is None:
        raise UnknownName(f"no package {package!r}")
    found = [m.name for m in pkgutil.iter_modules(spec.submodule_search_locations)]
    return sorted(name.replace("_", "-") for name in found if not name.startswith("_"))


def lookup(package: str, name: str) -> Any:
    """Return the `PLUGIN` of entry `name` in `package`, or the object at `module:attribute`.

    Raises UnknownName when there is no such entry.
    """
    if ":" in name:
        module_name, _, attribute = name.partition(":")
        try:
            return getattr(importlib.import_module(module_name), attribute)
        except (ImportError, AttributeError) as error:
            raise UnknownName(f"cannot import {name!r}: {error}") from error
    return module(package, name).PLUGIN


def module(package: str, name: str) -> Any:
    """The module of entry `name` in `package`. Raises UnknownName."""
    known = names(package)
    if name not in known:
        raise UnknownName(f"unknown name {name!r}; known: {', '.join(known)}")
    return importlib.import_module(f"{package}.{name.replace('-', '_')}")


def directory(package: str) -> Path:
    """The folder of `package` on disk."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise UnknownName(f"no package {package!r}")
    return Path(next(iter(spec.submodule_search_locations)))
