"""Automake's lists of tests, as a Makefile.am and the files that it includes have them.

harfbuzz keeps its 259 tests of shaping and subsetting in files called Makefile.sources; others have one
Makefile.am, and an include.am in each folder (manual of Automake, "include").
"""

from __future__ import annotations

import posixpath
import re

from arena.building.suites._tree import SourceTree

MOST_INCLUDED = 200
DEPTH = 2
_INCLUDE = re.compile(r"^[ \t]*+-?include[ \t]++(\S{1,300})[ \t]*$", re.MULTILINE)
_FRAGMENTS_FOLDER = re.compile(r"%(?:reldir|D)%/?")
_TESTS = re.compile(r"^[ \t]*+TESTS[ \t]*\+?=[ \t]*(.*)$", re.MULTILINE)
_TOP = ("$(top_srcdir)/", "@top_srcdir@/")
_HERE = ("$(srcdir)/", "@srcdir@/")


def makefiles(tree: SourceTree) -> dict[str, str]:
    """Each Makefile.am, with what it includes in its place: MOST_INCLUDED files in all, DEPTH levels deep."""
    left = iter(range(MOST_INCLUDED))

    def whole(path: str, folder: str, depth: int) -> str:
        def included(line: re.Match[str]) -> str:
            fragment = _place(line[1], folder)
            if not depth or fragment not in tree or next(left, None) is None:
                return line[0]
            return whole(fragment, folder, depth - 1)

        of_fragment = posixpath.relpath(posixpath.dirname(path) or ".", folder or ".")
        prefix = "" if of_fragment == "." else f"{of_fragment}/"
        return _INCLUDE.sub(included, _FRAGMENTS_FOLDER.sub(prefix, tree.read(path)))

    return {path: whole(path, posixpath.dirname(path), DEPTH) for path in tree.named("Makefile.am")}


def _place(name: str, folder: str) -> str:
    """Where an included file lies; one that is named from nowhere, from the folder of its Makefile.am."""
    for variable in _TOP:
        if name.startswith(variable):
            return posixpath.normpath(name.removeprefix(variable))
    for variable in _HERE:
        name = name.removeprefix(variable)
    return posixpath.normpath(posixpath.join(folder, name))


def tests_of(tree: SourceTree) -> dict[str, list[str]]:
    """Each Makefile.am with tests, and the words of its `TESTS`."""
    lists = {path: _listed(text) for path, text in makefiles(tree).items()}
    return {path: words for path, words in lists.items() if words}


def _listed(text: str) -> list[str]:
    """The words of every `TESTS =` and `TESTS +=`."""
    joined = text.replace("\\\n", " ")
    return [word for found in _TESTS.findall(joined) for word in found.split()[:2000]]
