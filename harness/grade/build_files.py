"""Build files of a repository: how they are recognised, and which lines make a build run commands.

If a task does not protect a build file, a patch may write it, and the patch's builds do what it says, as the
user that owns the oracle's files, the generated build tree and the tests' programs.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from fnmatch import fnmatchcase

from harness.grade.bounded import read_bounded
from harness.protocols import Sandbox
from harness.sandbox import archive

DOTS = frozenset({"", ".", ".."})
# Characters of a line that are reported.
MAX_LINE_CHARACTERS = 120
NOTHING = re.compile(rb"(?!)")
# Options with which a compiler runs other programs, or prepends text to every file.
FLAGS = rb"-f?plugin\b|-wrapper\b|-specs\b|\s-B\S|-include\b|-imacros\b"
TOOLS = (
    rb"SHELL|\.SHELLFLAGS|\.RECIPEPREFIX|CC|CXX|CCLD|LD|AR|AS|CPP|NM|RANLIB|LEX|YACC"
    rb"|\w{0,64}LIBTOOL\w{0,64}|\w{0,64}COMPILE|\w{0,64}LINK"
)
# A recipe that does no more than compile or link.
COMPILES = rb"[@-]*\$[({](?:" + TOOLS + rb")[)}](?:[^;&|`<>$]|\$[({]\w+[)}]|\$[@<^*])*$"
# Assignments are searched from their first `=`: with `=.*` a line of 40 KB of `=` took 12 s.
MAKE = re.compile(
    rb"^\t(?!\s*"
    + COMPILES
    + rb")\s*\S|\$[({]\s*(?:shell|eval|guile|file|call)\b|!=|`|:[^=:]*;|^[^=]*=.*[;&|<>]"
    rb"|^\s*(?:load|define|export)\b|(?:^|\s)(?:" + TOOLS + rb")\s*[:?+]*=|" + FLAGS
)
CMAKE = re.compile(
    rb"(?i)\b(?:execute_process|exec_program|add_custom_\w+|try_run|cmake_language|externalproject\w*"
    rb"|fetchcontent\w*|configure_file|ctest_\w+|rule_launch\w*|\w+_launcher)\b"
    rb"|\bfile\s*\(\s*(?:generate|write|append|configure|copy|rename|download)"
    rb"|\bcmake_\w*(?:compiler|linker|make_program|_compile_|_link_|_create_|_archive_)|" + FLAGS
)
MESON = re.compile(
    rb"\b(?:run_command|custom_target|generator|vcs_tag|run_target|add_\w+_script|subproject|add_test_setup)\b"
    rb"|\bcopy\s*:\s*true|\boutput\s*:\s*'[^']*\.c\w*'|\bcommand\s*:|\bimport\s*\((?!\s*'(?:pkgconfig|fs)')|\.run\s*\(|"
    + FLAGS
)


@dataclass(frozen=True)
class BuildFileKind:
    """A build system: names of its files, how these name others, and lines by which a build runs commands."""

    name: str
    names: tuple[str, ...]
    includes: re.Pattern[bytes] = NOTHING
    runs: re.Pattern[bytes] = NOTHING


# In scons, waf, qmake, m4 and shell scripts any line may run commands; these are not checked.
KINDS = (
    BuildFileKind(
        "make",
        ("Makefile", "Makefile.*", "makefile", "GNUmakefile", "*.mk", "*.mak", "*.am"),
        re.compile(rb"^[ ]*[-s]?include[ \t]+(.+)$", re.MULTILINE),
        MAKE,
    ),
    BuildFileKind(
        "cmake",
        ("CMakeLists.txt", "*.cmake", "*.cmake.in", "CMakePresets.json"),
        re.compile(rb"\b(?i:include)\s*\(\s*\"?([^\s\")]+)"),
        CMAKE,
    ),
    BuildFileKind("meson", ("meson.build", "meson_options.txt", "meson.options"), runs=MESON),
    BuildFileKind(
        "autotools",
        ("configure", "configure.ac", "configure.in", "*.m4", "autogen.sh", "bootstrap"),
        re.compile(rb"\bm4_s?include\(\[?([^\])\n]+)"),
    ),
    BuildFileKind(
        "ninja", ("*.ninja",), re.compile(rb"^[ \t]*(?:include|subninja)[ \t]+(\S+)", re.MULTILINE)
    ),
    BuildFileKind(
        "scons", ("SConstruct", "SConscript"), re.compile(rb"SConscript\(\s*['\"]([^'\"]+)")
    ),
    BuildFileKind("bazel", ("BUILD", "BUILD.bazel", "WORKSPACE", "MODULE.bazel", "*.bzl")),
    BuildFileKind("waf", ("wscript", "waf")),
    BuildFileKind("qmake", ("*.pro", "*.pri"), re.compile(rb"\binclude\(\s*([^)\s]+)")),
    BuildFileKind("gn", ("*.gn", "*.gni"), re.compile(rb"import\(\s*\"(?://)?([^\"]+)")),
)
BY_NAME = {kind.name: kind for kind in KINDS}


def kind_of(path: str) -> BuildFileKind | None:
    """The build system that a file is of, by its name."""
    name = posixpath.basename(path)
    return next((k for k in KINDS if any(fnmatchcase(name, each) for each in k.names)), None)


@dataclass(frozen=True)
class BuildFileChange:
    """A build file's contents without a patch and with it. kind: the name of its build system."""

    path: str
    kind: str
    before: bytes
    after: bytes


@dataclass(frozen=True)
class BuildCommand:
    """A new line of a build file by which a build runs a command."""

    path: str
    line: str


Read = Callable[[Sequence[str]], Mapping[str, bytes]]


def build_files(names: Set[str], read: Read) -> dict[str, BuildFileKind]:
    """Those of a repository's files that are build files, by path.

    Files that they include count too, where this is plain. read: gives the contents of files.
    Raises Decided CE where these take too long to read.
    """
    kinds: dict[str, BuildFileKind] = {}
    waiting = {path: kind for path in names if (kind := kind_of(path)) is not None}
    endings = DOTS.union(map(posixpath.basename, names))
    while waiting:
        kinds |= waiting
        contents = read(sorted(waiting))
        files = {path: (waiting[path].name, content) for path, content in contents.items()}
        included = read_bounded("what it says to the build", find_included, files, endings)
        waiting = {
            name: BY_NAME[included[name]] for name in (included.keys() & names) - kinds.keys()
        }
    return kinds


def find_included(files: Mapping[str, tuple[str, bytes]], endings: Set[str]) -> dict[str, str]:
    """What build files include: path -> name of the build system.

    files: path -> (build system, content). endings: last names of the paths that are of interest, and DOTS.
    """
    return {
        name: kind
        for path, (kind, content) in files.items()
        for name in _included_paths(path, BY_NAME[kind], content, endings)
    }


def _included_paths(
    path: str, kind: BuildFileKind, content: bytes, endings: Set[str]
) -> Iterator[str]:
    """What a build file includes, by its path from the file's folder and from the top."""
    named = b" ".join(kind.includes.findall(content)).decode("utf-8", "surrogateescape")
    for word in {*named.split()}:
        if word.rpartition("/")[2] in endings:
            yield posixpath.normpath(posixpath.join(posixpath.dirname(path), word))
            yield posixpath.normpath(word)


def find_in_box(box: Sandbox, workdir: str, names: Iterable[str]) -> dict[str, BuildFileKind]:
    """Those of the files in a sandbox that are build files, by path. Raises SandboxDied, Decided."""
    return build_files(frozenset(names), lambda paths: archive.unpack(box.get(paths, workdir)))


def find_command(
    changes: Iterable[BuildFileChange], ignored_lines: Set[bytes]
) -> BuildCommand | None:
    """The first line that came into a build file by which a build runs a command.

    ignored_lines: lines that are no news, without white space around them.
    """
    for change in changes:
        if line := new_command(change.before, change.after, BY_NAME[change.kind], ignored_lines):
            return BuildCommand(change.path, line)
    return None


def new_command(before: bytes, after: bytes, kind: BuildFileKind, ignored_lines: Set[bytes]) -> str:
    """The first line that came into a build file by which a build runs a command; "" where there is none.

    ignored_lines: lines that are no news, without white space around them.
    """
    old = {*_lines(before), *ignored_lines}
    new_lines = (line for line in _lines(after) if line not in old and kind.runs.search(line))
    return next(new_lines, b"").strip().decode("utf-8", "replace")[:MAX_LINE_CHARACTERS]


def _lines(content: bytes) -> list[bytes]:
    """Lines without comments and with their continuations, and white space but at their start."""
    # Continued lines are a single line to make: a command could hide behind a backslash.
    joined = content.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ")
    return [line.rstrip() for line in joined.split(b"\n") if not line.lstrip().startswith(b"#")]
