"""Automake's lists of tests, as a Makefile.am and the files that it includes have them.

harfbuzz has its 259 tests of shaping and subsetting in files called Makefile.sources; many projects have a
single Makefile.am, and an include.am in each folder (manual of Automake, "include").
"""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache
from itertools import islice

from arena.building.suites._tree import SourceTree

# Characters, of all files that are included.
MAX_INCLUDED_CHARS = 1 << 20
DEPTH = 2
# Possessive on the blanks: a line of a megabyte of spaces from a hostile Makefile.am is read once.
_INCLUDE = re.compile(r"^[ \t]*+-?include[ \t]++(\S{1,300})[ \t]*(?:#.*)?$", re.MULTILINE)
_FRAGMENTS_FOLDER = re.compile(r"%(?:reldir|D)%/?")
_ASSIGNED = re.compile(r"^[ \t]*+(\w{1,100})[ \t]*[:+]?=[ \t]*([^#\n]*)", re.MULTILINE)
_VALUE = re.compile(r"\$[({](\w{1,100})[)}]")
_PLACE = re.compile(r"(?:\$\((?:srcdir|builddir)\)|@(?:srcdir|builddir)@)/")
MAX_WORDS = 2000
_TOP = ("$(top_srcdir)/", "@top_srcdir@/")
_HERE = ("$(srcdir)/", "@srcdir@/")


@lru_cache(maxsize=4)  # of one project, asked for by several systems
def makefiles(tree: SourceTree) -> dict[str, str]:
    """Each Makefile.am, with its includes in place, DEPTH levels deep, up to a maximum number of includes."""
    left = MAX_INCLUDED_CHARS

    def read_makefile(path: str, folder: str, depth: int) -> str:
        nonlocal left

        def include_fragment(line: re.Match[str]) -> str:
            fragment = _place(line[1], folder)
            if not depth or fragment not in tree or left <= 0:
                return line[0]
            return read_makefile(fragment, folder, depth - 1)

        of_fragment = posixpath.relpath(posixpath.dirname(path) or ".", folder or ".")
        prefix = "" if of_fragment == "." else f"{of_fragment}/"
        text = _FRAGMENTS_FOLDER.sub(prefix, tree.read(path), count=MAX_WORDS)
        left -= len(text) if depth < DEPTH else 0
        return _INCLUDE.sub(include_fragment, text, count=MAX_WORDS)

    return {
        path: read_makefile(path, posixpath.dirname(path), DEPTH)
        for path in tree.find_named("Makefile.am")
    }


def _place(name: str, folder: str) -> str:
    """The path of an included file; a name without a variable counts from the folder of its Makefile.am."""
    for variable in _TOP:
        if name.startswith(variable):
            return posixpath.normpath(name.removeprefix(variable))
    for variable in _HERE:
        name = name.removeprefix(variable)
    return posixpath.normpath(posixpath.join(folder, name))


@lru_cache(maxsize=4)
def tests_of(tree: SourceTree) -> dict[str, list[str]]:
    """Each Makefile.am with tests, and the words of its `TESTS`."""
    lists = {path: _listed_tests(text) for path, text in makefiles(tree).items()}
    return {path: words for path, words in lists.items() if words}


def _listed_tests(text: str) -> list[str]:
    """The words of every `TESTS =` and `TESTS +=`; a variable that the file assigns stands for its words."""
    values: dict[str, list[str]] = {}
    assigned = _ASSIGNED.finditer(text.replace("\\\n", " "))
    for match in islice(assigned, 10 * MAX_WORDS):
        words = _PLACE.sub("", match[2]).split()[:MAX_WORDS]
        values.setdefault(match[1], []).extend(words)
    tests: list[str] = []
    for word in values.get("TESTS", ()):
        variable = _VALUE.fullmatch(word)
        tests += values.get(variable[1], [word]) if variable else [word]
    return tests[: 10 * MAX_WORDS]
