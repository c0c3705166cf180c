"""A project's test command and report format, derived from its build system.

cmake_ctest.py  meson.py  meson_console.py  automake.py  automake_anew.py  automake_programs.py  make_check.py
cmake_target.py  googletest.py  jq_run_tests.py  python_unittest.py  tap.py  programs.py  scripts.py
                                                                                          a file per system

Each carries its examples; adding a system is adding a file. What they share:
_system.py     what a system and a suite are        _tree.py       the view of a project's files
_build.py      facts of a shipped build command     _owned.py      which files belong to the oracle
_makefile.py   targets and variables of a Makefile  _framework.py  which library writes the report
_automake.py   lists of Makefile.am, and of what it includes
_git.py        a tree from a commit of a repository
_parts.py      command lines for suites that do not report by themselves
_needs.py      modules and programs that tests need

Detectors read hostile files: they do no I/O but through the tree, and nothing that they detect is run
here. Command lines consist of plain names only.
"""

from __future__ import annotations

import re
from typing import cast

from arena.building.suites._build import MAX_LINE, PROGRAMS, BuildFacts, read_build
from arena.building.suites._git import git_tree
from arena.building.suites._needs import needs_of_tests
from arena.building.suites._owned import oracle_globs
from arena.building.suites._system import FoundSuite, SuiteExample, System
from arena.building.suites._tree import SourceTree
from parsers.registry import lookup, names

__all__ = [
    "BuildFacts",
    "SuiteExample",
    "FoundSuite",
    "System",
    "SourceTree",
    "find_suites",
    "git_tree",
    "needs_of_tests",
    "read_build",
    "scripts_of",
]


HEAD = 16 << 10
_SCRIPT = re.compile(r"[\w./-]{1,200}\.sh(?![\w.])", re.ASCII)


def systems() -> list[System]:
    """Every system, by name."""
    return [cast(System, lookup(__name__, name)) for name in names(__name__)]


def find_suites(
    tree: SourceTree,
    build: str = "",
    workdir: str = "",
    ctest: tuple[int, int] = (3, 25),
    script: str = "",
) -> list[FoundSuite]:
    """The suites that `tree` seems to have, the likeliest first; none when no system matches.

    Give the tree at VIC, so that the tests that gold brings count.
    `build` is the project's shipped build command, run in `workdir`: suites that fit it come first and
    use its build folder. `script` is what that command runs, where it says less than that: of a project with
    two build systems the shipped build system comes first. `ctest` is the version in the image. A case's
    stated `[tests]` needs none of this.
    Where the root has none, a folder that holds a whole project is looked at (expat).
    """
    script = "\n".join((script, *scripts_of(tree, script)))
    # The root first: a folder below often is a bundled copy of another project.
    suites = _find(tree, read_build(build, workdir, ctest, script=script))
    for folder in [] if suites else tree.projects:
        below = read_build(build, workdir, ctest, folder, script)
        suites += [
            suite.inside(folder, oracle_globs(tree)) for suite in _find(tree.subtree(folder), below)
        ]
    return sorted(suites, key=lambda suite: (-suite.confidence, suite.system))


def scripts_of(tree: SourceTree, script: str) -> list[str]:
    """The project's scripts that `script` names (`$SRC/name/fuzz/build.sh`), as texts.

    Scripts that configure (`autogen.sh`) are not among them: such a
    name may be a dependency's.
    """
    # Only the tail of a path is compared: `$SRC/name/` is the folder of the recipe's image, not the
    # repository's.
    scripts = {f"/{name}" for name in _SCRIPT.findall(script[:MAX_LINE])}
    named = [name for name in scripts if name.rpartition("/")[2] not in PROGRAMS]
    own_scripts = (
        path for path in tree.find_named(suffix=".sh") if any(n.endswith(f"/{path}") for n in named)
    )
    return [tree.read(path, HEAD) for path in own_scripts]


def _find(tree: SourceTree, build: BuildFacts) -> list[FoundSuite]:
    suites_by_system = [system.find(tree, build) for system in systems()]
    return [suite for suite in suites_by_system if suite is not None]
