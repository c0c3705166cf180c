"""Build files of a repository that a task does not protect: what a patch writes there, its own builds run."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from fnmatch import fnmatchcase

from harness.grade import oracle
from harness.grade.apply import apply, examine
from harness.grade.building import ours
from harness.grade.environment import limits_of, prepare, sandbox
from harness.grade.grader import Grader
from harness.grade.guard import TRACKED
from harness.sandbox import archive
from tasks.loader import Task

NOTHING = re.compile(rb"(?!)")
KINDS: tuple[tuple[str, tuple[str, ...], re.Pattern[bytes]], ...] = (
    (
        "make",
        ("Makefile", "Makefile.*", "makefile", "GNUmakefile", "*.mk", "*.mak"),
        re.compile(rb"^[ ]*[-s]?include[ \t]+(.+)$", re.MULTILINE),
    ),
    (
        "cmake",
        ("CMakeLists.txt", "*.cmake", "*.cmake.in", "CMakePresets.json"),
        re.compile(rb"\b(?i:include)\s*\(\s*\"?([^\s\")]+)"),
    ),
    ("meson", ("meson.build", "meson_options.txt", "meson.options"), NOTHING),
    (
        "autotools",
        ("configure", "configure.ac", "configure.in", "*.am", "*.m4", "autogen.sh", "bootstrap"),
        re.compile(rb"^\s*(?:include[ \t]+|m4_s?include\(\[?)([^\])\n]+)", re.MULTILINE),
    ),
    ("ninja", ("*.ninja",), re.compile(rb"^\s*(?:include|subninja)[ \t]+(\S+)", re.MULTILINE)),
    ("scons", ("SConstruct", "SConscript"), re.compile(rb"SConscript\(\s*['\"]([^'\"]+)")),
    ("bazel", ("BUILD", "BUILD.bazel", "WORKSPACE", "MODULE.bazel", "*.bzl"), NOTHING),
    ("waf", ("wscript", "waf"), NOTHING),
    ("qmake", ("*.pro", "*.pri"), re.compile(rb"\binclude\(\s*([^)\s]+)")),
    ("gn", ("*.gn", "*.gni"), re.compile(rb"import\(\s*\"(?://)?([^\"]+)")),
)
"""Build systems: names of their files, and how these name others."""
MOST = 20
ADVICE = (
    "a patch may write it, and its builds follow it: add it to tests.files, or, where good patches "
    "must edit it, let poc.build take the same list of files and the same flags"
)


def kind_of(path: str) -> int | None:
    """The place in KINDS of the build system that a file is of, by its name."""
    name = posixpath.basename(path)
    found = (
        place
        for place, (_, names, _) in enumerate(KINDS)
        if any(fnmatchcase(name, each) for each in names)
    )
    return next(found, None)


Read = Callable[[Sequence[str]], Mapping[str, bytes]]


def build_files(names: Set[str], read: Read) -> dict[str, str]:
    """Those of a repository's files that are build files, with their build system.

    What they include is one too, where it is plain to see. read: gives the contents of files.
    """
    found: dict[str, int] = {}
    waiting = {path: kind for path in names if (kind := kind_of(path)) is not None}
    while waiting:
        found |= waiting
        contents = read(sorted(waiting))
        included = {
            name: waiting[path]
            for path in contents
            for name in _included(path, waiting[path], contents[path])
        }
        waiting = {name: included[name] for name in (included.keys() & names) - found.keys()}
    return {path: KINDS[kind][0] for path, kind in found.items()}


def _included(path: str, kind: int, content: bytes) -> Iterator[str]:
    """What a build file includes, by its path from the file's folder and from the top."""
    for named in KINDS[kind][2].findall(content):
        for word in named.decode("utf-8", "surrogateescape").split():
            yield posixpath.normpath(posixpath.join(posixpath.dirname(path), word))
            yield posixpath.normpath(word)


def unprotected(grader: Grader, task: Task) -> Iterator[tuple[str, str]]:
    """Build files, at gold's state, that `tests.files` does not own: (path, what is to be done)."""
    workdir, globs = task.spec.environment.workdir, task.spec.tests.files
    gold = examine(task.solution("gold"))
    with sandbox(grader.backend, prepare(grader.backend, task).image, limits_of(task)) as box:
        apply(box, task, gold, None)
        names = gold.facts.touched.union(filter(None, ours(box, TRACKED, workdir).split("\0")))
        found = build_files(names, lambda paths: archive.unpack(box.get(paths, workdir)))
    free = sorted(found.keys() - set(oracle.owned(found, globs)))
    for path in free[:MOST]:
        yield path, f"a build file ({found[path]}) that the task does not protect; {ADVICE}"
    if len(free) > MOST:
        yield "tests.files", f"{len(free) - MOST} more build files are not protected"
