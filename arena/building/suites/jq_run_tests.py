"""Test scripts that call the tested program's runner, `--run-tests FILE`, as jq's do."""

from __future__ import annotations

import re

from arena.building.suites._build import BuildFacts
from arena.building.suites._owned import FOLDERS, oracle_globs
from arena.building.suites._parts import each_into
from arena.building.suites._system import FoundSuite, SuiteExample, System, confidence, fit
from arena.building.suites._tree import SourceTree

NAME = PARSER = "jq-run-tests"
REPORTS = "arena-run-tests"
HEAD = 4 << 10
MAX_FILES_READ, MAX_SCRIPTS = 200, 40
_CALLS = re.compile(r"^[^#\n]*[ \t]--run-tests\b", re.MULTILINE)
_SHELL = re.compile(r"#![ \t]*(?:\S*/env[ \t]+)?(?:\S*/)?(sh|bash|dash)\b")


def _find(tree: SourceTree, build: BuildFacts) -> FoundSuite | None:
    texts = {path: tree.read(path, HEAD) for path in _candidates(tree)}
    calling = {path: m[1] for path, text in texts.items() if (m := _shell_that_calls(text))}
    if not calling:
        return None
    interpreter = "bash" if "bash" in calling.values() else "sh"
    scripts = list(calling)[:MAX_SCRIPTS]
    return FoundSuite(
        NAME,
        "",
        each_into(REPORTS, interpreter, scripts, "txt"),
        PARSER,
        (f"{REPORTS}/*.txt",),
        oracle_globs(tree),
        confidence(fit(build, "autotools", "cmake", "make"), PARSER),
        f"--run-tests in {len(calling)} scripts such as {scripts[0]}",
    )


def _candidates(tree: SourceTree) -> list[str]:
    """Scripts in folders of tests: those that end in .sh, or in nothing."""
    scripts = [
        path
        for path in tree.first_party_paths
        if FOLDERS & {part.lower() for part in path.split("/")[:-1]}
        and (path.endswith(".sh") or "." not in path.rpartition("/")[2])
    ]
    return sorted(scripts, key=lambda path: (path.count("/"), path))[:MAX_FILES_READ]


def _shell_that_calls(text: str) -> re.Match[str] | None:
    return _SHELL.match(text) if _CALLS.search(text) else None


_SCRIPT = '#!/bin/sh\n. "${0%/*}/setup"\n$JQ -L "$mods" --run-tests $JQTESTDIR/jq.test\n'
EXAMPLES = (
    SuiteExample(
        {
            "tests/jqtest": _SCRIPT,
            "tests/mantest": _SCRIPT,
            "tests/setup": "#!/bin/sh\n# for --run-tests\nJQ=./jq\n",
            "tests/jq.test": "true\nnull\ntrue\n",
        },
        {
            "command": "mkdir -p arena-run-tests; status=0; for t in tests/jqtest tests/mantest; do "
            'n=$(printf %s "$t" | tr / -); sh "$t" > arena-run-tests/${n%.t}.txt || status=1; '
            "done; exit $status",
            "parser": "jq-run-tests",
            "report": ("arena-run-tests/*.txt",),
            "files": ("tests/**",),
            "confidence": 0.959,
        },
        "autoreconf -i && ./configure && make",
        why="scripts that take what they share from another one",
    ),
    SuiteExample(
        {"docs/a.sh": _SCRIPT, "tests/b": "#!/bin/sh\n./b\n", "src/main.c": "--run-tests"},
        None,
        why="no test script calls it",
    ),
)
PLUGIN = System(NAME, EXAMPLES, _find)
