"""Which files belong to the oracle: folders of tests, of what they expect and of fuzz targets, and tests
beside the sources: by their names, or because the build makes them for tests alone."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from arena.building.suites._automake import makefiles, tests_of
from arena.building.suites._tree import SourceTree
from szz.paths import is_code

_WORDS = (
    "test tests testing testsuite test-suite testcases unittest unittests unit_test unit_tests unit-test "
    "unit-tests t regress regression fuzz fuzzing fuzzer fuzzers oss-fuzz ossfuzz testdata testbed"
)
FOLDERS = frozenset(_WORDS.split())
# Names of further folders (jsoncpp's `test_lib_json`).
_NAMED = re.compile(r"tests?[-_].+|.+[-_]tests?", re.IGNORECASE)
# Of these names a folder without code (libxml2's `result` beside its `test`).
RESULTS = frozenset({"result", "results", "expected", "golden"})
# A folder name found in more places than this is taken wherever it is.
SCATTERED = 5

MAX_GLOBS = 40
MAX_FOLDERS = 10
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_BESIDE = (
    (re.compile(r"test-[^/]+\.(?:c|cc|cpp|cxx|py|sh)"), "test-*"),
    (re.compile(r"test_[^/]+\.(?:c|cc|cpp|cxx|py|sh)"), "test_*"),
)
_PERHAPS = re.compile(r"[^/]+[-_](?:test|unittest)\.(?:c|cc|cpp|cxx)")
_IS_TEST = re.compile(r"\bint\s{1,9}main\s{0,9}\(|^TEST(?:_F|_P|_CASE)?\s{0,9}\(", re.MULTILINE)
_MAX_READ = 200
_ONLY_FOR_TESTS = re.compile(
    r"^[ \t]*check_PROGRAMS[ \t]*\+?=((?:[^\\\n]|\\[^\n]|\\\n){0,20000})", re.MULTILINE
)
_RUN = re.compile(r"\b(?:add_test|test)\s{0,9}\(([^()]{0,500})", re.IGNORECASE)
_WORD = re.compile(r"[\w.+-]{1,100}")


def oracle_globs(tree: SourceTree, extra: Iterable[str] = ()) -> tuple[str, ...]:
    """Globs of the oracle's files in the form of `tests.files`; `extra` are further files of the suite.

    Build files outside of these folders are not among them: a patch that adds a source file has to name
    it there.
    """
    folders = _folders(tree)
    globs = {f"{folder}/**" for folder in folders}
    counts = Counter(PurePosixPath(folder).name for folder in folders)
    for name, count in counts.items():
        if count > SCATTERED:
            # One glob over all places also owns a folder of that name that a patch adds.
            globs = {glob for glob in globs if PurePosixPath(glob).parent.name != name}
            globs.add(f"**/{name}/**")
    loose = [path for path in extra if not _inside(path, folders)]
    all_globs = [*sorted(globs), *sorted(_tests_beside_sources(tree, folders) - globs)][:MAX_GLOBS]
    return (*all_globs, *sorted(set(loose) - {*all_globs}))


def folders(tree: SourceTree, *names: str) -> list[str]:
    """Folders of tests that hold a file of any of `names`, outermost first and none inside of another.

    Their number is bounded.
    Those of fuzzing are none.
    """
    test_folders: list[str] = []
    of_tests = _folders(tree)
    for path in tree.find_named(*names):
        folder = posixpath.dirname(path)
        if not _inside(path, of_tests) or "fuzz" in folder.lower():
            continue
        if not any(f"{folder}/".startswith(f"{outer}/") for outer in test_folders):
            test_folders.append(folder)
    return test_folders[:MAX_FOLDERS]


def _folders(tree: SourceTree) -> set[str]:
    """The outermost folders of tests; a folder called `t` only when it holds `.t` files."""
    names_found = set()
    code = {PurePosixPath(path).parent for path in tree.first_party_paths if is_code(path.encode())}
    holding = {str(folder) for inner in code for folder in (inner, *inner.parents)}
    for path in tree.first_party_paths:
        parts = path.split("/")
        for depth, part in enumerate(parts[:-1]):
            folder = "/".join(parts[: depth + 1])
            results = part.lower() in RESULTS and folder not in holding
            named = part.lower() in FOLDERS or _NAMED.fullmatch(part)
            # `t` is a common name of folders for anything; only Perl's convention gives it tests.
            if results or (named and (part != "t" or path.endswith(".t"))):
                names_found.add(folder)
                break
    return names_found


def _tests_beside_sources(tree: SourceTree, folders: set[str]) -> set[str]:
    """Globs of tests beside the sources, and paths of those that only their content shows to be tests."""
    outside = [path for path in tree.first_party_paths if not _inside(path, folders)]
    perhaps = [path for path in outside if _PERHAPS.fullmatch(path.rpartition("/")[2])]
    tests = _scripts(tree) & {*outside}
    perhaps += _sources_of_tests(tree, outside)
    # Names such as `speed_test.c` may be of shipped programs, so the content decides.
    tests |= {path for path in perhaps[:_MAX_READ] if _IS_TEST.search(tree.read(path))}
    for path in outside:
        folder, _, name = path.rpartition("/")
        for pattern, glob in _BESIDE:
            if pattern.fullmatch(name):
                tests.add(f"{folder}/{glob}" if folder else glob)
                tests.discard(path)
    return tests


def _scripts(tree: SourceTree) -> set[str]:
    """The files in automake's `TESTS` that exist before anything is built (pcre2's `RunTest`)."""
    return {
        posixpath.normpath(posixpath.join(posixpath.dirname(makefile), word))
        for makefile, words in tests_of(tree).items()
        for word in words
    }


def _sources_of_tests(tree: SourceTree, paths: Iterable[str]) -> list[str]:
    """Sources of programs that only tests build, or that tests run and whose name contains "test".

    Such a source has the name of the program. A name without "test" is not enough, since
    what the project ships is run by tests as well.
    """
    builds = map(tree.read, tree.find_named("CMakeLists.txt", "meson.build"))
    only = {word for text in makefiles(tree).values() for word in _words_in(_ONLY_FOR_TESTS, text)}
    run = {word for text in builds for word in _words_in(_RUN, text)}
    named = only | {word for word in run if "test" in word.lower()}
    return [path for path in paths if is_code(path.encode()) and PurePosixPath(path).stem in named]


def _words_in(form: re.Pattern[str], text: str) -> Iterator[str]:
    """The words of what a build file says in that form."""
    yield from (word for match_text in form.findall(text) for word in _WORD.findall(match_text))


def _inside(path: str, folders: set[str]) -> bool:
    parts = path.split("/")
    return any("/".join(parts[:depth]) in folders for depth in range(1, len(parts)))
