"""CMake's `add_test`, run by CTest (3.21 writes JUnit; for an older version the console is read)."""

from __future__ import annotations

import re

from arena.building.suites._build import OFF, BuildFacts
from arena.building.suites._owned import oracle_globs
from arena.building.suites._system import FoundSuite, SuiteExample, System, confidence, fit
from arena.building.suites._tree import SourceTree

NAME = "cmake-ctest"
JUNIT_SINCE = (3, 21)
_COMMENT = re.compile(r"#[^\n]*")
_DECLARES = re.compile(
    r"(add_test|gtest_discover_tests|gtest_add_tests|catch_discover_tests|doctest_discover_tests)"
    r"[ \t]*\(",
    re.IGNORECASE,
)
_ENABLES = re.compile(
    r"\benable_testing[ \t]*\(|\binclude[ \t]*\([ \t]*CTest[ \t]*\)", re.IGNORECASE
)
_OPTION = re.compile(
    r'\boption[ \t]*\(\s{0,99}(\w{1,99})\s{1,99}"[^"\n]{0,500}"\s{0,99}(\w{0,99})', re.IGNORECASE
)
_OF_TESTS = re.compile(
    r"(?:\w+_)?(?:BUILD|ENABLE|WITH)_(?:UNIT_?)?TEST(?:S|ING)?|[A-Z0-9]+_(?:BUILD_)?(?:UNIT_?)?TESTS"
)
_TARGET = re.compile(
    r"\badd_custom_target[ \t]*\([ \t]*(tests|build_tests|build-tests|unittests)\b([^()]{0,999})\)",
    re.IGNORECASE,
)


def _find(tree: SourceTree, facts: BuildFacts) -> FoundSuite | None:
    cmake_texts = texts(tree)
    declared = [path for path, text in cmake_texts.items() if _DECLARES.search(text)]
    # Without `enable_testing` CTest lists no test, whatever `add_test` declares.
    if not declared or not any(_ENABLES.search(text) for text in cmake_texts.values()):
        return None
    inside, line = build(tree, facts)
    command, parser, report = _run(inside, facts.ctest)
    return FoundSuite(
        NAME,
        line,
        command,
        parser,
        report,
        oracle_globs(tree),
        confidence(fit(facts, "cmake"), parser),
        f"add_test in {declared[0]}",
    )


def texts(tree: SourceTree) -> dict[str, str]:
    """CMake's files without their comments; none where it does not build the project."""
    if "CMakeLists.txt" not in tree:
        return {}
    paths = tree.find_named("CMakeLists.txt", suffix=".cmake")
    return {path: _COMMENT.sub("", tree.read(path)) for path in paths}


def build(tree: SourceTree, facts: BuildFacts) -> tuple[str, str]:
    """The build folder, and a line that builds the tests in it: configured again where they are off by
    default or by the shipped command."""
    shipped = facts.folder("cmake")
    folder = "build" if shipped is None else shipped or "."
    text = "\n".join(texts(tree).values())
    off = {m[1] for m in _OPTION.finditer(text) if m[2].lower() in OFF | {""}}
    # Only options that are plainly about tests: others may pull in what the image does not have.
    names = {name for name in off if _OF_TESTS.fullmatch(name) and name not in facts.defines}
    names |= {name for name in facts.defines if "TEST" in name.upper() and facts.turns_off(name)}
    defines = "".join(f" -D{name}=ON" for name in sorted(names))
    configure = ""
    if defines or not facts.uses("cmake"):
        configure = f"cmake -S . -B {folder}{defines} && "
    # A target with a command runs something; one without only gathers the programs of the tests.
    targets = [m[1] for m in _TARGET.finditer(text) if "COMMAND" not in m[2]]
    target = f" --target all {targets[0]}" if targets else ""
    return folder, f"{configure}cmake --build {folder} -j2{target}"


def _run(folder: str, version: tuple[int, int]) -> tuple[str, str, tuple[str, ...]]:
    """Command, parser and report files. Outside of the repository no report can be fetched from."""
    if version < JUNIT_SINCE:
        return f"cd {folder} && ctest", "ctest", ()
    if folder.startswith("/"):
        name = "arena-ctest.xml"
        return f'ctest --test-dir {folder} --output-junit "$PWD/{name}"', "ctest-junit", (name,)
    report = "junit.xml" if folder == "." else f"{folder}/junit.xml"
    return f"ctest --test-dir {folder} --output-junit junit.xml", "ctest-junit", (report,)


_PLAIN = {"CMakeLists.txt": "include(CTest)\nadd_test (NAME a COMMAND a)\n", "test/a.c": ""}
EXAMPLES = (
    SuiteExample(
        _PLAIN,
        {
            "build": "cmake --build out -j2",
            "command": "ctest --test-dir out --output-junit junit.xml",
            "parser": "ctest-junit",
            "report": ("out/junit.xml",),
            "files": ("test/**",),
            "confidence": 0.95,
        },
        "cmake -B out -G Ninja && cmake --build out",
        why="the folder of the shipped build",
    ),
    SuiteExample(
        _PLAIN,
        {"command": "ctest --test-dir a/b --output-junit junit.xml", "report": ("a/b/junit.xml",)},
        "mkdir -p a/b && cd a/b && cmake -DX=1 ../.. && make -j4",
        why="the folder that it was entered",
    ),
    SuiteExample(
        _PLAIN,
        {"command": "cd build && ctest", "parser": "ctest", "report": ()},
        ctest=(3, 18),
        why="an old CTest writes no JUnit",
    ),
    SuiteExample(
        _PLAIN,
        {
            "command": 'ctest --test-dir /build/b --output-junit "$PWD/arena-ctest.xml"',
            "report": ("arena-ctest.xml",),
        },
        "cmake -S /src/a -B /build/b && ninja -C /build/b",
        "/src/a",
        why="a build folder outside of the repository",
    ),
    SuiteExample(
        {
            "CMakeLists.txt": 'option(ACME_BUILD_TESTS "Build tests" OFF)\nenable_testing()\n'
            "add_subdirectory(tests)\nadd_custom_target(tests)\n",
            "tests/CMakeLists.txt": "gtest_discover_tests(unit)",
        },
        {
            "build": "cmake -S . -B build -DACME_BUILD_TESTS=ON && cmake --build build -j2 --target all tests"
        },
        "cmake -S . -B build && cmake --build build",
        why="tests that are off unless asked for",
    ),
    SuiteExample(
        _PLAIN,
        {"build": "cmake -S . -B b -DBUILD_TESTING=ON && cmake --build b -j2"},
        "cmake -B b -DBUILD_TESTING=OFF . && make -C b",
        why="tests that the shipped build turns off",
    ),
    SuiteExample(
        {"CMakeLists.txt": "# enable_testing()\n# add_test(x)\n"}, None, why="only comments"
    ),
    SuiteExample(
        {"CMakeLists.txt": "project(a)", "deps/x/CMakeLists.txt": _PLAIN["CMakeLists.txt"]}, None
    ),
)
PLUGIN = System(NAME, EXAMPLES, _find)
