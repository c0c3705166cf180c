"""Meson's `test()` where no JUnit file is written (before 0.55): what `meson test` prints."""

from __future__ import annotations

from arena.building.suites._build import BuildFacts
from arena.building.suites._system import FoundSuite, SuiteExample, System
from arena.building.suites._tree import SourceTree
from arena.building.suites.meson import find

NAME = "meson-console"


def _find(tree: SourceTree, build: BuildFacts) -> FoundSuite | None:
    return find(tree, build, NAME)


_TEST = {"meson.build": "project('a', 'c')\ntest('a', exe)\n"}
EXAMPLES = (
    SuiteExample(
        _TEST,
        {
            "build": "ninja -C out -j2",
            "command": "meson test --no-rebuild -C out",
            "parser": "meson-console",
            "report": (),
            "confidence": 0.855,
        },
        "meson setup out && ninja -C out",
        why="the second choice wherever the JUnit file is the first",
    ),
    SuiteExample(
        _TEST,
        {"command": "meson test --no-rebuild -C /build/a", "report": ()},
        "meson setup /build/a && ninja -C /build/a",
        "/src/a",
        why="nothing to bring in from a build folder outside of the repository",
    ),
    SuiteExample({"CMakeLists.txt": "enable_testing()\n"}, None, why="another system"),
)
PLUGIN = System(NAME, EXAMPLES, _find)
