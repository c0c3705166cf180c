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
    r"^[ \t]{0,8}(?:import|from)[ \t]+([A-Za-z]\w{1,40})(?=[.\s,;]|$)", re.MULTILINE
)


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
        for name in _IMPORTS.findall(tree.read(path, HEAD))
    }
    foreign = sorted(named - own - sys.stdlib_module_names)
    return tuple(f"python3-{name.lower().replace('_', '-')}" for name in foreign)[:MOST]
