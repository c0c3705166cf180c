"""Words of the tests whose meaning a patch may not change by a macro.

Tests include headers that a patch edits. A macro there that is named like a keyword, like a function that
the tests link from elsewhere, or like a name that only the tests have, can turn their checks into nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import PurePosixPath

from harness.grade import oracle
from harness.grade.apply import PatchCandidate
from harness.grade.building import ROOM, listed, ours
from harness.grade.guard import tracked
from harness.protocols import Sandbox
from tasks.loader import Task

KEYWORDS = frozenset(
    {
        *(
            "auto",
            "bool",
            "break",
            "case",
            "catch",
            "char",
            "class",
            "const",
            "continue",
            "default",
        ),
        *("delete", "do", "double", "else", "enum", "explicit", "extern", "false", "float", "for"),
        *("goto", "if", "int", "long", "namespace", "new", "operator", "return", "short", "signed"),
        *("sizeof", "static", "struct", "switch", "template", "this", "throw", "true", "try"),
        *("typedef", "union", "unsigned", "using", "void", "volatile", "while", "main", "assert"),
    }
)
SUFFIXES = frozenset({".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inc"})
SOURCES = frozenset({".c", ".cc", ".cpp", ".cxx"})
MOST = 200_000
SPLIT = f"""\
export LC_ALL=C
words() {{ xargs -0 -r cat -- < {ROOM}/$1 2>/dev/null | grep -aoE '[A-Za-z_][A-Za-z0-9_]*' | sort -u; }}
words theirs > {ROOM}/words; words others | comm -23 {ROOM}/words - | head -n {MOST}
"""
_SPLICED = re.compile(rb"\\\r?\n")
_COMMENT = re.compile(rb"/\*.*?\*/", re.DOTALL)
_MACRO = re.compile(rb"^[ \t]*(?:#|%:|\?\?=)[ \t]*define[ \t]+([A-Za-z_]\w*)", re.MULTILINE)
_INCLUDED = re.compile(rb'#[ \t]*include[ \t]*"([^"\n]+)"')


def of_tests(box: Sandbox, task: Task) -> list[str]:
    """The identifiers that only the oracle's C and C++ files have, in a sandbox at gold's state."""
    workdir = task.spec.environment.workdir
    code = [path for path in tracked(box, workdir) if PurePosixPath(path).suffix in SUFFIXES]
    theirs = oracle.owned(code, task.owned)
    others = sorted(set(code) - set(theirs))
    return ours(box, SPLIT, workdir, {"theirs": listed(theirs), "others": listed(others)}).split()


def bent(
    patch: PatchCandidate, task: Task, words: Collection[str], outside: Collection[str]
) -> list[str]:
    """Macros in what a patch adds to headers, and to what is included, that bend words of the tests, sorted.

    words: of `of_tests`; outside: names that the tests' programs take from elsewhere.
    """
    added = _added(patch)
    included = {
        PurePosixPath(name.decode("utf-8", "replace")).name
        for text in added.values()
        for name in _INCLUDED.findall(text)
    }
    owned = set(oracle.owned(added, task.owned))
    taken = {*words, *outside, *KEYWORDS}
    found = {
        name.decode()
        for path, text in added.items()
        if path not in owned
        and (PurePosixPath(path).suffix not in SOURCES or PurePosixPath(path).name in included)
        for name in _MACRO.findall(_COMMENT.sub(b" ", _SPLICED.sub(b"", text)))
    }
    return sorted(found & taken)


def _added(patch: PatchCandidate) -> dict[str, bytes]:
    """The lines that a patch adds, by file."""
    lines = patch.data.split(b"\n")
    return {
        change.new: b"\n".join(
            line[1:]
            for hunk in change.hunks
            for line in lines[hunk.at : hunk.at + hunk.lines]
            if line.startswith(b"+")
        )
        for change in patch.facts.files
        if change.new
    }
