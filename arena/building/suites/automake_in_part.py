"""Automake's `TESTS` where not every program of `make check` can be built: those that can are run.

A library found in the image may turn on a helper that does not link, and no test needs it. What a patch keeps
from being built is a lost test all the same.
"""

from __future__ import annotations

from dataclasses import replace

from arena.building.suites import automake
from arena.building.suites._build import BuildFacts
from arena.building.suites._system import FoundSuite, SuiteExample, System
from arena.building.suites._tree import SourceTree

NAME = "automake-in-part"
SURE = 0.6
"""Confidence, as a part of that in the whole suite: it comes behind it, and before exit codes."""


def _find(tree: SourceTree, build: BuildFacts) -> FoundSuite | None:
    whole = automake.PLUGIN.find(tree, build)
    if whole is None:
        return None
    tolerant = whole.build.replace(" -j2 ", " -k -j2 ", 1)
    confidence = round(SURE * whole.confidence, 3)
    return replace(whole, system=NAME, build=f"{tolerant} || :", confidence=confidence)


EXAMPLES = (
    SuiteExample(
        {"configure.ac": "AM_INIT_AUTOMAKE([foreign])\n", "Makefile.am": "TESTS = a\n"},
        {
            "build": "make -k -j2 check TESTS= || :",
            "command": "make -k check",
            "parser": "automake",
            "report": ("*.trs",),
            "confidence": 0.57,
        },
        "./configure && make",
        why="the same tests, behind the whole suite",
    ),
    SuiteExample({"Makefile.am": "TESTS =\n"}, None, why="no suite at all"),
)
PLUGIN = System(NAME, EXAMPLES, _find)
