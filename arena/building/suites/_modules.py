"""What tests in Python import that neither Python nor the project has, by Debian's names."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable

from arena.building.suites._owned import FOLDERS
from arena.building.suites._tree import SourceTree

MOST_READ = 60
HEAD = 16 << 10
MOST = 20
_IMPORTS = re.compile(
    r"^[ \t]{0,8}(?:import[ \t]+([A-Za-z]\w{1,40})(?:\.\w{1,40}){0,9}[ \t]*(?:[,;#\n]|as\b|\Z)"
    r"|from[ \t]+([A-Za-z]\w{1,40})(?:\.\w{1,40}){0,9}[ \t]+import\b)",
    re.MULTILINE | re.ASCII,
)
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)
_PYTHONS = frozenset(
    ["all", "apt", "dbg", "dev", "distutils", "doc", "examples", "full", "minimal", "pip", "venv"]
)
"""Python's own packages, and such as change what an image builds with."""


def modules_of_tests(tree: SourceTree, scripts: Iterable[str] = ()) -> tuple[str, ...]:
    """Debian's packages of the modules that `scripts` and Python files below folders of tests import.

    A package of that name need not exist: who installs them leaves such out.
    """
    below = [
        path for path in tree.named(suffix=".py") if FOLDERS & set(path.lower().split("/")[:-1])
    ]
    own = {
        part.removesuffix(".py")
        for path in tree.paths
        if path.endswith(".py")
        for part in path.split("/")
    }
    named = {
        name
        for path in [*scripts, *below[:MOST_READ]]
        if path.endswith(".py")
        for match in _IMPORTS.finditer(tree.read(path, HEAD))
        if (name := match[1] or match[2])
    }
    foreign = sorted(named - own - sys.stdlib_module_names)
    packages = (name.lower().replace("_", "-") for name in foreign)
    plain = [name for name in packages if _NAME.fullmatch(name) and name not in _PYTHONS]
    return tuple(f"python3-{name}" for name in plain)[:MOST]
