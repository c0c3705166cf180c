"""Meson's `test()`; `meson test` writes JUnit beside its log."""

from __future__ import annotations

import re

from arena.building.suites._build import OFF, BuildFacts
from arena.building.suites._owned import owned
from arena.building.suites._system import FoundSuite, SuiteExample, System, confidence, fit
from arena.building.suites._tree import SourceTree

NAME = "meson"
PARSER = "meson-junit"
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
    places = tree.named("meson.build")
    declared = [path for path in places if _DECLARES.search(_COMMENT.sub("", tree.read(path)))]
    if not declared:
        return None
    folder = build.folder("meson")
    inside = "build" if folder is None else folder or "."
    command, report = _run(inside)
    parser = PARSER if system == NAME else system
    return FoundSuite(
        system,
        _build(tree, build, inside),
        command if system == NAME else f"{RUN} -C {inside}",
        parser,
        (report,) if system == NAME else (),
        owned(tree),
        confidence(fit(build, "meson"), parser),
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
    wanted = "".join(f" -D{name}={value}" for name, value in sorted(off.items()))
    first = ""
    if not build.uses("meson"):
        first = f"{{ test -f {folder}/build.ninja || meson setup {folder}; }} && "
    configure = f"meson configure {folder}{wanted} && " if wanted else ""
    return f"{first}{configure}ninja -C {folder} -j2"


def _run(folder: str) -> tuple[str, str]:
    """Command and report file; one from outside of the repository is brought in."""
    line = f"{RUN} -C {folder}"
    log = "meson-logs/testlog.junit.xml"
    if folder.startswith("/"):
        name = "arena-meson.junit.xml"
        return f"{line}; status=$?; cp {folder}/{log} {name}; exit $status", name
    return line, log if folder == "." else f"{folder}/{log}"


_PLAIN = {
    "meson.build": "project('a', 'c')\nsubdir('t')\n",
    "tests/meson.build": "  test('a', exe)\n",
}
EXAMPLES = (
    SuiteExample(
        _PLAIN,
        {
            "build": "ninja -C out -j2",
            "command": "meson test --no-rebuild -C out",
            "parser": "meson-junit",
            "report": ("out/meson-logs/testlog.junit.xml",),
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
        {"report": ("arena-meson.junit.xml",)},
        "meson setup /build/a && ninja -C /build/a",
        "/src/a",
        why="a build folder outside of the repository",
    ),
    SuiteExample({"meson.build": "# test('a', b)\nproject('a')"}, None, why="only a comment"),
)
PLUGIN = System(NAME, EXAMPLES, _find)
