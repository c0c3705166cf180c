"""Meson's `test()`; `meson test` writes JUnit and JSON beside its log.

JUnit has the tests within TAP and GoogleTest programs, but bears no mark of some that are bad: that it
is whole is proved by Meson's exit status, which counts them up to 1.9. From 1.10 on the JSON is taken.
"""

from __future__ import annotations

import re

from arena.building.suites._build import OFF, BuildFacts
from arena.building.suites._owned import oracle_globs
from arena.building.suites._system import FoundSuite, SuiteExample, System, confidence, fit
from arena.building.suites._tree import SourceTree

NAME = "meson"
DETAIL_OF, PARSER = "meson-junit", "auto"
REPORT = "arena-meson.report"
# Versions whose exit status is the number of bad tests, as a pattern of the shell.
STATUS_COUNTS = "0.*|1.[0-9]|1.[0-9].*"
RUN = "meson test --no-rebuild"
_COMMENT = re.compile(r"#[^\n]*")
_DECLARES = re.compile(r"^[ \t]*+test[ \t]*\(", re.MULTILINE)
_OPTION = re.compile(r"\boption[ \t]*\(\s{0,99}'([\w-]{1,99})'([^()]{0,999})")
_VALUE = re.compile(r"\bvalue[ \t]*:\s{0,99}'?(\w+)")
_OF_TESTS = re.compile(r"(?:build|enable|with)?[_-]?(?:unit)?[_-]?tests?(?:ing)?")
_ON = {"disabled": "enabled"}


def _find(tree: SourceTree, build: BuildFacts) -> FoundSuite | None:
    return find(tree, build, NAME)


def find(tree: SourceTree, build: BuildFacts, system: str) -> FoundSuite | None:
    """The suite as `meson` takes it, by its JUnit file, or as `meson_console` does."""
    if "meson.build" not in tree:
        return None
    paths = tree.find_named("meson.build")
    declared = [path for path in paths if _DECLARES.search(_COMMENT.sub("", tree.read(path)))]
    if not declared:
        return None
    folder = build.folder("meson")
    inside = "build" if folder is None else folder or "."
    is_file = system == NAME
    return FoundSuite(
        system,
        _build(tree, build, inside),
        _run(inside) if is_file else f"{RUN} -C {inside}",
        PARSER if is_file else system,
        (REPORT,) if is_file else (),
        oracle_globs(tree),
        confidence(fit(build, "meson"), DETAIL_OF if is_file else system),
        f"test() in {declared[0]}",
    )


def _build(tree: SourceTree, build: BuildFacts, folder: str) -> str:
    options = tree.read("meson_options.txt") or tree.read("meson.options")
    off: dict[str, str] = {}
    for match in _OPTION.finditer(_COMMENT.sub("", options)):
        value = _VALUE.search(match[2])
        shipped = build.defines.get(match[1])
        stands = shipped if shipped is not None else value[1] if value else ""
        if _OF_TESTS.fullmatch(match[1].lower()) and stands.lower() in OFF:
            off[match[1]] = _ON.get(stands.lower(), "true")
    set_options = "".join(f" -D{name}={value}" for name, value in sorted(off.items()))
    first = ""
    if not build.uses("meson"):
        # `meson setup` fails over a folder that is configured already, as after a second build.
        first = f"{{ test -f {folder}/build.ninja || meson setup {folder}; }} && "
    configure = f"meson configure {folder}{set_options} && " if set_options else ""
    return f"{first}{configure}ninja -C {folder} -j2"


def _run(folder: str) -> str:
    """The command, which leaves the report of its Meson's version in REPORT, and none of a run before."""
    logs = f"{folder}/meson-logs/testlog"
    return (
        # A report of an earlier run would pass for this one if Meson ended before it wrote any.
        f"rm -f {logs}.json {logs}.junit.xml; {RUN} -C {folder}; status=$?; "
        f"case $(meson --version) in {STATUS_COUNTS}) log=junit.xml ;; *) log=json ;; esac; "
        f"cp {logs}.$log {REPORT}; exit $status"
    )


_PLAIN = {
    "meson.build": "project('a', 'c')\nsubdir('t')\n",
    "tests/meson.build": "  test('a', exe)\n",
}
EXAMPLES = (
    SuiteExample(
        _PLAIN,
        {
            "build": "ninja -C out -j2",
            "command": "rm -f out/meson-logs/testlog.json out/meson-logs/testlog.junit.xml; "
            "meson test --no-rebuild -C out; status=$?; "
            "case $(meson --version) in 0.*|1.[0-9]|1.[0-9].*) log=junit.xml ;; *) log=json ;; esac; "
            "cp out/meson-logs/testlog.$log arena-meson.report; exit $status",
            "parser": "auto",
            "report": ("arena-meson.report",),
            "files": ("tests/**",),
        },
        "{ test -f out/build.ninja || meson setup out; } && ninja -C out",
        why="the folder of the shipped build",
    ),
    SuiteExample(
        {**_PLAIN, "meson_options.txt": "option('tests', type: 'feature', value: 'enabled')"},
        {"build": "meson configure b -Dtests=enabled && ninja -C b -j2"},
        "meson --default-library=static -Dtests=disabled b && ninja -C b",
        why="the old form of setup, with tests turned off",
    ),
    SuiteExample(
        _PLAIN,
        {"build": "{ test -f build/build.ninja || meson setup build; } && ninja -C build -j2"},
        "./build.sh",
        why="a build command that tells nothing",
    ),
    SuiteExample(
        _PLAIN,
        {"report": ("arena-meson.report",)},
        "meson setup /build/a && ninja -C /build/a",
        "/src/a",
        why="a build folder outside of the repository",
    ),
    SuiteExample({"meson.build": "# test('a', b)\nproject('a')"}, None, why="only a comment"),
)
PLUGIN = System(NAME, EXAMPLES, _find)
